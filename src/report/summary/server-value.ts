import { unitOfServerFigure } from '../../model/measures/server-figures.ts';
import { figureText } from '../text/number-text.ts';

export const serverValueText = (name: string, value: number): string => {
  const unit = unitOfServerFigure(name);
  if (unit === 'requests' || unit === 'number') return figureText(value);
  return unit === '/s' ? `${figureText(value)}/s` : `${figureText(value)} ${unit}`;
};
