import { unitOfServerFigure } from '../../model/measures/server-figures.ts';
import { figureText } from '../text/number-text.ts';

/** A value of one of the server’s figures with its unit; the names of the figures say that requests are counted. */
export const serverValueText = (name: string, value: number): string => {
  const unit = unitOfServerFigure(name);
  if (unit === 'requests' || unit === 'number') return figureText(value);
  return unit === '/s' ? `${figureText(value)}/s` : `${figureText(value)} ${unit}`;
};
