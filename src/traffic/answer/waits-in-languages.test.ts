import { expect, it } from 'vitest';
import { waitInOtherLanguage } from './waits-in-languages.ts';

it.each([
  ['German', 'Zu viele Anfragen. Versuchen Sie es in 30 Sekunden erneut.'],
  ['German', 'Wartezeit: 30 Sekunden'],
  ['French', 'Veuillez patienter 30 secondes avant de réessayer.'],
  ['French', 'Disponible à nouveau dans 30 secondes.'],
  ['Spanish', 'Espere 30 segundos antes de volver a intentarlo.'],
  ['Spanish', 'Inténtelo de nuevo en 30 segundos.'],
  ['Italian', 'Troppe richieste. Riprova tra 30 secondi.'],
  ['Portuguese', 'Tente novamente em 30 segundos.'],
  ['Dutch', 'Probeer het over 30 seconden opnieuw.'],
  ['Swedish', 'Försök igen om 30 sekunder.'],
  ['Polish', 'Spróbuj ponownie za 30 sekund.'],
  ['Czech', 'Zkuste to znovu za 30 sekund.'],
  ['Russian', 'Попробуйте еще раз через 30 секунд.'],
  ['Ukrainian', 'Спробуйте ще раз, через 30 секунд.'],
  ['Turkish', 'Lütfen 30 saniye sonra tekrar deneyin.'],
  ['Indonesian', 'Silakan coba lagi dalam 30 detik.'],
  ['Vietnamese', 'Vui lòng thử lại sau 30 giây.'],
  ['Arabic', 'يرجى المحاولة مرة أخرى بعد 30 ثانية.'],
  ['Hindi', '30 सेकंड में फिर से कोशिश करें ।'],
  ['Korean', '30초 후에 다시 시도해 주세요.'],
  ['Japanese', '30秒ほどお待ちください'],
  ['Chinese', '请求过于频繁，30s后重试'],
  ['Chinese', '每分钟最多60次请求，请稍等30秒'],
])('a wait is read in %s: %s', (_, text) => {
  expect(waitInOtherLanguage(JSON.stringify({ error: { message: text } }))).toBe(30_000);
});

it.each([
  ['Erneut versuchen in 1 Minute 20 Sekunden', 80_000],
  ['Réessayez dans 2,5 minutes', 150_000],
  ['1시간 30분 후에 다시 시도하세요', 5_400_000],
  ['请于2天后再试', 172_800_000],
  ['Warten Sie 5 Sekunden. Danach sind Sie in 7 Sekunden wieder frei.', 7000],
])('units and several amounts are read: %s', (text, wait) => {
  expect(waitInOtherLanguage(text)).toBe(wait);
});

it.each([
  '60 Anfragen in 60 Sekunden erreicht, versuchen Sie es später erneut',
  'Limit pro 60 Sekunden erreicht, bitte warten',
  'Réessayez plus tard. Le modèle a répondu en 3 secondes.',
  'Máximo 10 solicitudes en 60 segundos, inténtelo de nuevo',
  '每60秒最多10次请求，请稍后重试',
  '1분에 요청 60회까지 가능합니다. 잠시 후 다시 시도해주세요',
  'Please try again in 30 seconds.',
  'The request took 30 s; its patience ended.',
])('a rule, another time and English are no waits here: %s', (text) => {
  expect(waitInOtherLanguage(text)).toBeNull();
});
