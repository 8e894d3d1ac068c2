"""Runs statements in DuckDB, and code with pandas, over the tables in this folder; prints what each gives."""

import json
import sys

import duckdb

with open(sys.argv[1], encoding="utf8") as file:
    job = json.load(file)

connection = duckdb.connect()
rows = [connection.execute(statement).fetchall() for statement in job["statements"]]

values = []
for code in job["code"]:
    names = {}
    exec(code, names)
    values.append({name: names[name] for name in job["names"] if name in names})

print(json.dumps({"rows": rows, "values": values}, default=lambda value: value.item()))
