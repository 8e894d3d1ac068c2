import {
  type BinaryExpression,
  type Expression,
  isArrayLiteralExpression,
  isArrowFunction,
  isBinaryExpression,
  isBlock,
  isBreakStatement,
  isCallExpression,
  isConditionalExpression,
  isContinueStatement,
  isExpressionStatement,
  isIdentifier,
  isIfStatement,
  isImportDeclaration,
  isLiteralExpression,
  isNumericLiteral,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  isReturnStatement,
  isThrowStatement,
  isTypeNode,
  isWhileStatement,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast';

/** The small faults that a programmer could make in a file, each at one place. */

export const changeKinds = [
  'comparison',
  'arithmetic',
  'number',
  'condition',
  'default',
  'returned value',
  'deleted statement',
  'deleted item',
] as const;

/** One place of a file, and texts to put there; the first one that the compiler accepts is taken. */
export interface Change {
  readonly kind: (typeof changeKinds)[number];
  readonly start: number;
  readonly end: number;
  readonly texts: readonly string[];
}

const comparisons: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    '<': ['<=', '>='],
    '<=': ['<', '>'],
    '>': ['>=', '<='],
    '>=': ['>', '<'],
    '===': ['!=='],
    '!==': ['==='],
  }),
);

const arithmetic: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '+': '-',
    '-': '+',
    '*': '/',
    '/': '*',
    '%': '*',
    '**': '*',
    '+=': '-=',
    '-=': '+=',
    '*=': '/=',
    '/=': '*=',
    '&': '|',
    '|': '&',
    '<<': '>>',
    '>>': '<<',
    '>>>': '<<',
  }),
);

/** Pairs of methods of which one is easily written for the other. */
const twins: ReadonlyMap<string, string> = new Map(
  Object.entries({
    min: 'max',
    max: 'min',
    some: 'every',
    every: 'some',
    floor: 'ceil',
    ceil: 'floor',
    trunc: 'round',
    round: 'floor',
    startsWith: 'endsWith',
    endsWith: 'startsWith',
  }),
);

/** Small numbers are wrong by one; one more would hardly be wrong in a large one. */
const wrongNumber = (text: string): string => {
  const value = Number(text.replaceAll('_', ''));
  if (!Number.isFinite(value)) return '0';
  if (value === 0) return '1';
  return String(Number.isInteger(value) && value <= 10 ? value + 1 : 2 * value);
};

const wrongResults = (text: string): readonly string[] =>
  [`!(${text})`, 'undefined', 'null', '[]', "''", '0', '({})'].filter((wrong) => wrong !== text);

/** Every change of a file, in the order of their places. */
export const changesOf = (file: SourceFile): readonly Change[] => {
  const changes: Change[] = [];
  const visit = (node: Node): void => {
    // Types are gone when the code runs, and an import that is missing does not compile.
    if (isTypeNode(node) || isImportDeclaration(node)) return;
    changes.push(
      ...expressionChanges(node, file),
      ...statementChanges(node, file),
      ...deletedItems(node, file),
    );
    node.forEachChild(visit);
  };
  visit(file);
  return changes.toSorted((a, b) => a.start - b.start || a.end - b.end);
};

const changer =
  (file: SourceFile) =>
  (kind: Change['kind'], node: Node, ...texts: readonly string[]): Change => ({
    kind,
    start: node.getStart(file),
    end: node.end,
    texts,
  });

const expressionChanges = (node: Node, file: SourceFile): readonly Change[] => {
  const change = changer(file);
  if (isBinaryExpression(node)) return binaryChanges(node, file);
  if (isNumericLiteral(node)) return [change('number', node, wrongNumber(node.getText(file)))];
  if (isConditionalExpression(node)) return bothWays(node.condition, file);
  if (isPrefixUnaryExpression(node)) {
    const operand = node.operand.getText(file);
    if (node.operator === SyntaxKind.ExclamationToken) return [change('condition', node, operand)];
    if (node.operator === SyntaxKind.MinusToken) return [change('arithmetic', node, operand)];
  }
  if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return [];
  const { name } = node.expression;
  const twin = twins.get(name.text);
  return twin === undefined ? [] : [change('arithmetic', name, twin)];
};

const bothWays = (condition: Expression, file: SourceFile): readonly Change[] => [
  changer(file)('condition', condition, 'true'),
  changer(file)('condition', condition, 'false'),
];

const binaryChanges = (
  { left, operatorToken, right }: BinaryExpression,
  file: SourceFile,
): readonly Change[] => {
  const change = changer(file);
  const operator = operatorToken.getText(file);
  const value = left.getText(file);
  const other = arithmetic.get(operator);
  return [
    ...(comparisons.get(operator) ?? []).map((text) => change('comparison', operatorToken, text)),
    ...(other === undefined ? [] : [change('arithmetic', operatorToken, other)]),
    ...(operator === '&&' ? [change('condition', operatorToken, '||')] : []),
    ...(operator === '||' ? [change('condition', operatorToken, '&&')] : []),
    ...(operator === '??'
      ? [
          change('default', operatorToken.parent, value, `(${value})!`),
          change('default', operatorToken.parent, right.getText(file)),
        ]
      : []),
  ];
};

const statementChanges = (node: Node, file: SourceFile): readonly Change[] => {
  const change = changer(file);
  if (isIfStatement(node)) return bothWays(node.expression, file);
  if (isWhileStatement(node)) return [change('condition', node.expression, 'false')];
  const result = resultOf(node);
  if (result !== undefined)
    return [change('returned value', result, ...wrongResults(result.getText(file)))];
  const isDeletable =
    isExpressionStatement(node) ||
    isThrowStatement(node) ||
    isBreakStatement(node) ||
    isContinueStatement(node) ||
    isReturnStatement(node);
  return isDeletable ? [change('deleted statement', node, '{}')] : [];
};

/** A function of one expression has a result, except for `() => undefined`, of which nobody reads it. */
const resultOf = (node: Node): Node | undefined => {
  if (isReturnStatement(node)) return node.expression;
  if (!isArrowFunction(node) || isBlock(node.body)) return undefined;
  return isIdentifier(node.body) && node.body.text === 'undefined' ? undefined : node.body;
};

/** Items of a list, each with a comma beside it; literals are words, which tables have many of. */
const deletedItems = (node: Node, file: SourceFile): readonly Change[] => {
  if (!isArrayLiteralExpression(node)) return [];
  const items = node.elements;
  return [...items.entries()].flatMap(([index, item]) => {
    if (items.length < 2 || isLiteralExpression(item)) return [];
    const before = items[index - 1];
    const next = items[index + 1];
    const start = next === undefined && before !== undefined ? before.end : item.getStart(file);
    const end = next === undefined ? item.end : next.getStart(file);
    return [{ kind: 'deleted item', start, end, texts: [''] }];
  });
};
