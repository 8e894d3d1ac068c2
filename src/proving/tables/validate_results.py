"""Validates results by the published JSON Schema, and its summary alone; prints a line for each problem."""

import json
import sys

from jsonschema import Draft202012Validator, FormatChecker

schema_file, *result_files = sys.argv[1:]
with open(schema_file, encoding="utf8") as file:
    schema = json.load(file)
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema, format_checker=FormatChecker())
for name in result_files:
    with open(name, encoding="utf8") as file:
        result = json.load(file)
    if "summary" not in result:
        print(f"{name}: no summary")
    for error in validator.iter_errors(result):
        print(f"{name}: {error.json_path}: {error.message[:200]}")
