import { expect, it } from 'vitest';
import { parseScenarioText } from './yaml-document.ts';

const messageOf = (text: string) => {
  const { tree, problems } = parseScenarioText(text);
  expect(tree).toBeNull();
  return problems.map(({ line, column, message }) => `${line}:${column} ${message}`).join('\n');
};

it('a file of another kind is named, with what to do with it', () => {
  const texts = [
    'GET https://h/v1',
    '# to be run at night\n\n  aiperf profile -m a',
    '$ /usr/bin/curl https://h',
    'wrk2 -t2 https://h',
    'from locust import task',
    'import requests',
    "import http from 'k6/http';",
    'config:\n  target: x',
    '{ "log": {} }',
    '{\n"info": {}}',
    'openapi: 3.1.0',
    'rate = 5',
    '[load]',
    '<?xml version="1.0"?>',
    '<!DOCTYPE html>',
    'a\0b',
  ];
  expect(texts.map(messageOf)).toMatchInlineSnapshot(`
    [
      "1:1 expected a scenario, got targets of vegeta: \`weir import FILE\` makes a scenario of it",
      "1:1 expected a scenario, got a command line of AIPerf or GuideLLM: \`weir import FILE\` makes a scenario of it",
      "1:1 expected a scenario, got a command line of another tool: \`weir init\` writes a first scenario",
      "1:1 expected a scenario, got a command line of another tool: \`weir init\` writes a first scenario",
      "1:1 expected a scenario, got a Python script: \`weir init\` writes a first scenario",
      "1:1 expected a scenario, got a Python script: \`weir init\` writes a first scenario",
      "1:1 expected a scenario, got a script of k6: \`weir init\` writes a first scenario",
      "1:1 expected a scenario, got a file of Artillery: \`weir init\` writes a first scenario",
      "1:1 expected a scenario, got a recording of a browser (HAR): \`weir init\` writes a first scenario",
      "1:1 expected a scenario, got a collection of Postman: \`weir init\` writes a first scenario",
      "1:1 expected a scenario, got a description of an interface (OpenAPI): \`weir init\` writes a first scenario",
      "1:1 expected a scenario, got TOML: write it in YAML, where a key ends in a colon",
      "1:1 expected a scenario, got TOML: write it in YAML, where a key ends in a colon",
      "1:1 expected a scenario, got XML or HTML: \`weir init\` writes a first scenario",
      "1:1 expected a scenario, got XML or HTML: \`weir init\` writes a first scenario",
      "null:null not a text file: expected YAML, JSON or TypeScript, got binary data",
    ]
  `);
});

it('a text without such a line may be a scenario', () => {
  for (const text of ['', '# curl https://h', 'name: curl x', 'config: x', 'rate: a = b']) {
    expect(parseScenarioText(text).problems).toEqual([]);
  }
});
