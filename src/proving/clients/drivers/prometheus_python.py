"""Reads OpenMetrics text (WEIR_TEXT) with the strict parser of prometheus-client; prints every sample as JSON."""

import json
import os

from prometheus_client.openmetrics.parser import text_string_to_metric_families

with open(os.environ["WEIR_TEXT"], encoding="utf-8") as file:
    families = list(text_string_to_metric_families(file.read()))
print(
    json.dumps(
        {
            "types": {family.name: family.type for family in families},
            "samples": [
                [sample.name, sample.labels, sample.value]
                for family in families
                for sample in family.samples
            ],
        }
    )
)
