import { type ReportDocument, text } from '../../../report/document/document.ts';
import type { KeyFindings } from '../model/key-findings.ts';
import { limitsDocument, requestSections, requestTexts } from './limits-document.ts';
import { limitsAdvice, verdictOnLimits } from './limits-sentence.ts';
import { paceAdvice, tokenSections, tokensDocument, tokenTexts } from './tokens-document.ts';

/** Builds the document of saved findings: findings about one limit, or a single page about both limits. */
export const findingsDocument = ({ requests, tokens }: KeyFindings): ReportDocument => {
  if (tokens === null) {
    if (requests === null) throw new Error('no findings');
    return limitsDocument(requests);
  }
  if (requests === null) return tokensDocument(tokens);
  const [ofRequests, ofTokens] = [requestTexts(requests), tokenTexts(tokens)];
  return {
    ...limitsDocument(requests),
    description: [
      `Requests of ${requests.target}, model ${requests.model}: ${ofRequests.sent}`,
      `Tokens of ${tokens.target}, model ${tokens.model}: ${ofTokens.declared}; ${ofTokens.sent}`,
    ],
    verdict: verdictOnLimits({ requests, tokens }),
    introduction: [
      text(`Requests. ${ofRequests.why}`),
      text(`Tokens. ${ofTokens.why}`),
      ...paceAdvice(tokens),
      text(limitsAdvice({ requests, tokens })),
    ],
    blocks: [...tokenSections(tokens), ...requestSections(requests)],
  };
};
