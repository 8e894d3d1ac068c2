/**
 * This file reads waits in sentences in languages other than English, with tables of the words of these languages.
 * Sources: the translations of Django REST framework (rest_framework/locale, "Expected available in {wait} seconds."),
 * Laravel (Laravel-Lang/lang, auth.throttle) and Symfony (security-core, "please try again in %minutes% minutes").
 */

/**
 * Words for units of time, cut to their beginnings, with the length of each unit in ms. A `!` marks the end of a word,
 * and a `~` marks the end of an abbreviation.
 */
const unitWords: readonly (readonly [length: number, words: string])[] = [
  [1, '毫秒|ミリ秒|밀리초'],
  [
    1000,
    '秒|초|sek|se[cgk][ou]nd|segons|saniy|giây|detik|másodperc|секунд|ثاني|ثوان|سیکنڈ|שניות|सेकंड|δευτερόλεπτ|sekúnd|s~|secs?~',
  ],
  [60_000, '分|분|minut|dakika|phút|menit|perc!|минут|хвилин|دقيق|דקות|मिनट|min~'],
  [
    3_600_000,
    '小[时時]|時間|시간|stund|heure|hor[ai]|or[ae]!|uur!|uren!|godzin|hodin|giờ|jam!|timm|timer!|час|годин|ساع|h~',
  ],
  [86_400_000, '天|일!|tag|jour|d[ií]as?!|giorn|dag|dni!|gün|ngày|hari!|дн[яіе]|дней|день|يوم'],
];

/** A sentence with one of these words says that a request may be sent again, or that the client should wait. */
const againWords: readonly string[] = [
  // Chinese, Japanese, Korean.
  '再|后|後|等待|等候|稍等|お待ち|다시|기다|대기|사용 가능',
];

/** Like `againWords`, for languages that write spaces between words. Each text here is the beginning of a word. */
const againBeginnings: readonly string[] = [
  // German, Dutch, Afrikaans, Swedish, Danish, Norwegian, Icelandic, Finnish, Estonian.
  'erneut|wieder|noch ?(?:ein)?mal|warten?!|wartezeit|verfügbar|opnieuw|nog eens|nogmaals|weer!|wacht|beschikbaar|igj?en!|på nytt|vent!|vänta|tilgængelig|tilgjengelig|tillgänglig|aftur|uudelleen|uuesti',
  // French, Italian, Spanish, Portuguese, Catalan, Galician, Romanian.
  'r[ée]-?essa[iy]|de nouveau|à nouveau|patient(?:ez|er)|attend(?:ez|re)|disponib|diponív|disponív|riprov|nuev|volver|vuelv|esper[ae]|reintent|intent[ae]|novamente|de novo|aguard|torni|din nou',
  // Polish, Czech, Slovak, Croatian, Serbian, Hungarian.
  'ponown|spróbu?j|spróbować|poczekaj|odczekaj|dostępn|znovu|opět|skúste|ponovn?o|újra',
  // Russian, Ukrainian, Belarusian, Bulgarian, Serbian, Greek, Turkish.
  'ещ[её] раз|повтор|снова|попроб|подожд|доступ|ще раз|зачека|яшчэ раз|отново|поново|ξανά|tekrar|bekle|yeniden|erişil',
  // Vietnamese, Indonesian, Arabic, Persian, Urdu, Hebrew, Hindi.
  'thử lại|chờ!|đợi!|lagi!|tunggu|أخرى|التوفر|الانتظار|مجدد|دوباره|دسترس|دوبارہ|שוב|फिर|दोबारा',
];

const withEnds = (words: string): string =>
  words.replaceAll('!', String.raw`(?!\p{L})`).replaceAll('~', '(?![a-z])');
const again = new RegExp(
  String.raw`${againWords.join('|')}|(?<!\p{L})(?:${withEnds(againBeginnings.join('|'))})`,
  'iu',
);

/**
 * Matches a rule, which is not a wait: a number of requests (`60 Anfragen in 60 Sekunden`, `最多60次`), or a window
 * (`每60秒`, `pro 60 Sekunden`).
 */
const rule =
  /\d ?(?:anfragen|requêtes|solicitud|peticion|richiest|solicitaç|requisiç|verzoek|żąda|zapyta|запрос|запит|istek|yêu cầu|permintaan|طلب|요청|请求|請求|リクエスト|回|次)|(?:每|毎|매|pro|par|por|per|alle|toutes les|cada|ogni|elke|co|каждые|кожні) ?\d/iu;

const units = unitWords.map(([, words]) => `(${withEnds(words)})`).join('|');
const amount = new RegExp(String.raw`(\d{1,9}(?:[.,]\d{1,9})?) ?(?:${units})`, 'giu');

/** Matches the end of a sentence. A point between two digits belongs to a number. */
const sentenceEnds = /[.;!?"](?!\d)|[。！？；।\n]|\\n/u;
/** Matches the end of a part of a sentence. */
const partEnds = /,(?!\d)|[，、()（）]/u;

/**
 * Returns the wait in a part of a sentence, in ms, as a list of at most one element. Amounts are added: `1 Minute 20
 * Sekunden`.
 */
const waitsIn = (part: string): readonly number[] => {
  if (rule.test(part)) return [];
  const waits = [...part.matchAll(amount)].map(([, count, ...found]) => {
    const position = found.findIndex((word) => word !== undefined);
    return Number(count!.replace(',', '.')) * unitWords[position]![0];
  });
  return waits.length === 0 ? [] : [waits.reduce((sum, wait) => sum + wait, 0)];
};

/**
 * Returns the longest wait, in ms, that a sentence in a language other than English names; `null` if no sentence names
 * a wait.
 */
export const waitInOtherLanguage = (body: string): number | null => {
  const sentences = body.split(sentenceEnds).filter((sentence) => /\d/.test(sentence));
  const waits = sentences.flatMap((sentence) =>
    again.test(sentence) ? sentence.split(partEnds).flatMap(waitsIn) : [],
  );
  return waits.length === 0 ? null : Math.max(...waits);
};
