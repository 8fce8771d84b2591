/** The phrases of `data/red-flags.txt` on invented mails, bad and honest, in every language. */

import { describe, expect, test } from 'bun:test'
import { bodyPoints } from '../../../src/checks/mail/points.ts'
import {
  findRedFlags,
  parseRedFlags,
  redFlagPhraseMax,
} from '../../../src/checks/mail/red-flags.ts'
import { readMailText } from '../../../src/checks/mail/text.ts'
import { PhraseError } from '../../../src/model/phrases.ts'

const letters = new Map([['о', 'o']])
const flagsOf = (body: string) => findRedFlags(readMailText(body, letters).text)
const pointsOf = (body: string): number =>
  bodyPoints(flagsOf(body)).reduce((sum, { points }) => sum + points, 0)

const phishing: readonly [string, string][] = [
  [
    'English',
    'Your account has been suspended. Please verify your identity within 24 hours to avoid permanent closure.',
  ],
  [
    'English',
    'We detected unusual sign-in activity. Click here to secure your account and change your password now.',
  ],
  [
    'English',
    'Your mailbox is full. Log in now to keep your current password, or your account will be deactivated.',
  ],
  [
    'English',
    'Your parcel is on hold: pay the customs fee of $1.99 and confirm your delivery address within the next 48 hours.',
  ],
  [
    'English',
    'Congratulations, you have been selected to receive a $500 gift card! Take our short survey and claim your reward now.',
  ],
  [
    'English',
    'Enter your recovery phrase to restore your wallet. Failure to comply will result in loss of your digital assets.',
  ],
  [
    'English',
    '<p>V&#101;rify y<b>o</b>ur acc&shy;оunt: your аccess will be limited, act n\u200Bow to avoid suspension</p>',
  ],
  [
    'Spanish',
    'Su cuenta ha sido suspendida por actividad sospechosa. Confirme sus datos en las próximas 24 horas.',
  ],
  [
    'Spanish',
    'Su paquete está retenido en aduana. Pague los gastos de envío e introduzca el número de su tarjeta hoy mismo.',
  ],
  [
    'Portuguese',
    'Sua conta foi bloqueada. Regularize agora: clique aqui e atualize seus dados cadastrais em até 24 horas.',
  ],
  [
    'Portuguese',
    'Sua encomenda esta retida. Efetue o pagamento da taxa de importacao e confirme seu endereco para evitar a devolucao. Ultimo aviso.',
  ],
  [
    'French',
    'Votre compte a été suspendu. Confirmez vos informations sous 48 heures pour éviter la fermeture.',
  ],
  [
    'French',
    'Votre colis est en attente. Réglez les frais de livraison et mettez à jour vos coordonnées bancaires, dernier rappel.',
  ],
  [
    'German',
    'Ihr Konto wurde vorübergehend gesperrt. Bestätigen Sie Ihre Daten innerhalb von 24 Stunden.',
  ],
  [
    'German',
    'Herzlichen Glückwunsch! Sie wurden ausgewählt. Nehmen Sie an unserer Umfrage teil und sichern Sie sich Ihren Gutschein im Wert von 500 €.',
  ],
  [
    'Italian',
    'Il suo conto è stato sospeso per attività sospette. Verifichi i suoi dati entro 24 ore.',
  ],
  [
    'Italian',
    'Il tuo pacco è in attesa: paga le spese di spedizione e inserisci i tuoi dati. Ultimo avviso.',
  ],
  ['Dutch', 'Uw rekening is geblokkeerd. Bevestig uw gegevens binnen 24 uur.'],
]

const honest: readonly [string, string][] = [
  [
    'a receipt',
    'Thank you for your order 1234. We have charged $25.00 to your card ending in 4242. You can see your invoice in your account at any time.',
  ],
  [
    'a shipping notice',
    'Good news: your order has been shipped and will arrive on Tuesday. Track your parcel with the number below. If you have questions, just reply.',
  ],
  [
    'a sign-up',
    'Welcome! Please confirm your email address by clicking the button below. If you did not sign up, ignore this mail.',
  ],
  [
    'a newsletter',
    'This week: how we moved our servers, five free talks to watch, and a discount for students. Read more on our blog. Unsubscribe here.',
  ],
  [
    'a colleague',
    'Hi Ann, could you update the slides before the meeting on Friday? The account numbers on page 4 are wrong. I will be out of office within the next days. Thanks',
  ],
  [
    'a developer list',
    'The patch fixes the login loop: when the password expired, the session was not closed. Please verify and report. You need the private key to sign the release.',
  ],
  [
    'a bank statement',
    'Your monthly statement is ready. Sign in to online banking as usual to read it. We never ask for your password by e-mail.',
  ],
  [
    'a dentist',
    'Reminder of your appointment on 12 May at 10:30. Please call us if you cannot come.',
  ],
  [
    'a Spanish invoice',
    'Estimado cliente: adjuntamos la factura de este mes. El importe se cargará en su cuenta el día 5. Gracias por su confianza.',
  ],
  [
    'a Portuguese school',
    'Prezados pais, a reunião será na quinta-feira às 19 horas. Confirmem a presença até amanhã, por favor.',
  ],
  [
    'a French club',
    'Bonjour à tous, la prochaine réunion aura lieu jeudi. Merci de répondre avant mercredi pour le repas. À bientôt !',
  ],
  [
    'a German shop',
    'Vielen Dank für Ihre Bestellung. Die Rechnung finden Sie im Anhang. Ihr Paket kommt voraussichtlich am Freitag.',
  ],
  [
    'an Italian hotel',
    'Gentile ospite, confermiamo la sua prenotazione dal 3 al 5 giugno. Il pagamento avviene in albergo. A presto!',
  ],
  [
    'a Dutch library',
    'Beste lezer, uw boeken moeten voor 3 mei terug zijn. U kunt online verlengen. Tot ziens in de bibliotheek.',
  ],
  [
    'a renewal',
    'Your subscription will automatically renew on May 3. You will be charged $9.99. To cancel your subscription, visit your account settings before the renewal date.',
  ],
  [
    'a password reset',
    'You have requested a password reset. Click the link below to choose a new password. The link expires in 24 hours. If you did not request this, ignore this email.',
  ],
  [
    'a new sign-in',
    'We noticed a new sign-in to your account from a browser on Linux. If this was you, you can ignore this email. If not, please review your recent activity.',
  ],
  [
    'a sale',
    'Last chance: 30% off everything ends tonight. Shop now and get free shipping over $50. Use code SAVE30 at checkout. Unsubscribe',
  ],
  [
    'a missed parcel',
    'Your package could not be delivered today because nobody was home. We will try again tomorrow. You can also reschedule your delivery or pick it up at the post office.',
  ],
  [
    'a German sale',
    'Nur noch 3 Tage: 20 % Rabatt auf alle Schuhe. Jetzt im Online-Shop sichern. Newsletter abbestellen',
  ],
  [
    'a German survey',
    'Bitte nehmen Sie an unserer kurzen Umfrage teil. Als Dankeschön verlosen wir drei Gutscheine im Wert von 50 €.',
  ],
  [
    'a Portuguese sale',
    'Últimos dias: até 50% de desconto em todo o site. Aproveite e compre agora com frete grátis. Clique aqui.',
  ],
]

describe('findRedFlags', () => {
  test.each(phishing)('a phishing mail in %s reaches medium by its words: %s', (_, body) => {
    expect(pointsOf(body)).toBeGreaterThanOrEqual(40)
  })

  test.each(honest)('%s stays low', (_, body) => {
    expect(pointsOf(body)).toBeLessThan(40)
  })

  test('names the words as they are in the text, and their category', () => {
    const [flag] = flagsOf('Please VERIFY   your\nidentity today')
    expect(flag?.phrase).toBe('verify your identity')
    expect(flag?.category).toBe('personal_data')
    expect(flag?.message).toEndWith('.')
  })

  test('says the same words once in a category', () => {
    const flags = flagsOf('We noticed unusual sign-in activity on your account')
    expect(flags.filter(({ category }) => category === 'urgency')).toHaveLength(1)
  })

  test('counts weak phrases only near strong ones of another category', () => {
    expect(flagsOf('Free bonus! Hurry, click here')).toEqual([])
    const strong = 'your account has been suspended. act now to restore access.'
    expect(flagsOf(`${strong} click here`).some(({ isWeak }) => isWeak)).toBe(true)
    expect(flagsOf(`${strong} ${'- '.repeat(700)} click here`).some(({ isWeak }) => isWeak)).toBe(
      false,
    )
  })

  test('cuts long phrases', () => {
    const flags = flagsOf(`verify ${'x'.repeat(200)} your account`)
    for (const { phrase } of flags) expect(phrase.length).toBeLessThanOrEqual(redFlagPhraseMax)
    expect(flagsOf('nothing to see')).toEqual([])
  })
})

describe('parseRedFlags', () => {
  test('reads groups, phrases and the mark of the weak', () => {
    expect(parseRedFlags('# head\n[payment] About money.\npay now # why\n~ free')).toEqual([
      {
        pattern: 'pay now',
        meaning: { category: 'payment', message: 'About money.', isWeak: false },
      },
      { pattern: 'free', meaning: { category: 'payment', message: 'About money.', isWeak: true } },
    ])
  })

  test.each([
    ['pay now', 'write a [name] line'],
    ['[money] About money.\npay', 'urgency, payment, personal_data'],
    ['[payment]\npay', 'a sentence'],
    ['[payment About money.', 'write a [name] line'],
  ])('refuses %j', (text, why) => {
    expect(() => parseRedFlags(text)).toThrow(PhraseError)
    expect(() => parseRedFlags(text)).toThrow(why)
  })
})
