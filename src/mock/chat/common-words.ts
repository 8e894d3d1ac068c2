/** 256 words; each, with the space before it, is one token in o200k, cl100k, p50k and r50k. */
export const commonWords: readonly string[] = (
  'about above act after against ago all along always an animal answer appear area art at ' +
  'back be become been before begin being best between bird blue body both boy brought ' +
  'built but call can care cause certain check city class close color common could course ' +
  'cross cut day did direct do dog down dream each early ease eat enough even every eye ' +
  'fact family farm father feet field fill fine first five follow foot force found free ' +
  'from front game get give gold got great ground grow half happen has he hear heat her ' +
  'high his home hot hour how idea in interest is it keep king know language last laugh ' +
  'lead leave less letter light line listen little long love machine main man map may mean ' +
  'men mile minute money more most mountain much must name near never next no note notice ' +
  'now object off old once only or other out own paper pass people person picture place ' +
  'plan plant point pose power press product put quick ran read real red rest river rock ' +
  'round run said saw school sea see self serve several she short show simple sing six ' +
  'sleep small so song sound south spell star state step stood story strong such sure ' +
  'system tail talk tell test that their then these thing think those thought three time ' +
  'together too top town tree try two unit up us usual voice wait want warm was water we ' +
  'weight went west wheel where while who why will with wood work would year yet young'
).split(' ');
