import {
  describeStoredReports,
  describeWholePages,
} from '../../../report/document/page-tests.fixture.ts';
import { calibrationSchema } from '../../../model/series/calibration.ts';
import { calibrationDocument } from './calibration-document.ts';
import { sampleCalibration, sampleCalibrationCell } from './sample-calibration.fixture.ts';

describeWholePages({
  'a calibration': calibrationDocument(sampleCalibration()),
  'a calibration of two rates': calibrationDocument(
    sampleCalibration({
      cells: [
        sampleCalibrationCell({ tokensPerSecond: 10 }),
        sampleCalibrationCell({ streams: 2000, tokensPerSecond: 50 }),
      ],
    }),
  ),
});
describeStoredReports({ 'a calibration': [calibrationSchema, sampleCalibration()] });
