import path from 'node:path'
import type { MailTest } from '@flotilla/contract/site/mail'
import { smtpTo, type MailRoute } from '../../mail/mail'

type Step = MailTest['steps'][number]

/** The fields of the mail library's errors: the code, and the server's response. */
type MailError = Error & { code?: string; response?: string; responseCode?: number }

const causes: Record<string, string> = {
  ECONNREFUSED: 'Nothing is listening there. Check the host and the port.',
  ENOTFOUND: 'No such host. Check its name.',
  EDNS: 'No such host. Check its name.',
  ETIMEDOUT: 'No response in time. Check the host, the port and any firewall in between.',
  EAUTH: 'The server refused the username or the password.',
  ETLS: 'The connection could not be encrypted. Check the security setting and the certificate.',
  EENVELOPE: 'The server refused the sender or the recipient.',
}
/** The server's response is untrusted and may be long. */
const RESPONSE_MAX = 500

function explain(error: MailError): string {
  const inner = Object.keys(causes).find((code) => error.message.includes(code))
  const isCertificate = /certificate|self.signed|altname/i.test(error.message)
  const isWrongVersion = /wrong version number|packet length too long/i.test(error.message)
  const cause = isCertificate
    ? `The certificate is not trusted: ${error.message}`
    : isWrongVersion
      ? 'The server does not speak TLS on this port. Use STARTTLS (usually port 587), or check the port.'
      : (causes[inner ?? error.code ?? ''] ?? error.message)
  const answer = error.response?.trim().slice(0, RESPONSE_MAX)
  return answer ? `${cause} Its response: ${answer}` : cause
}

async function timed(step: string, work: () => Promise<string>): Promise<Step> {
  const begun = Date.now()
  try {
    const message = await work()
    return { step, state: 'ok', message, ms: Date.now() - begun }
  } catch (error) {
    // Border: the library throws only these errors.
    return { step, state: 'failed', message: explain(error as MailError), ms: Date.now() - begun }
  }
}

/** Sends a test email step by step and reports the server's responses. */
export async function sendTestMail(
  { server, from }: MailRoute,
  to: string,
  dataDir: string,
): Promise<Step[]> {
  if (!server) {
    const folder = path.join(dataDir, 'mail')
    const message = `No mail server is configured: mail is only written to files in ${folder}, and no one receives it.`
    return [{ step: 'mail server', state: 'warning', message, ms: 0 }]
  }
  const smtp = smtpTo(server)
  try {
    const hasLogin = 'url' in server ? new URL(server.url).username !== '' : server.username !== ''
    const connected = await timed(hasLogin ? 'connect and log in' : 'connect', async () => {
      await smtp.verify()
      return hasLogin ? 'The server accepts the login' : 'The server responds'
    })
    if (connected.state === 'failed') return [connected]
    const sent = await timed(`send to ${to}`, async () => {
      const { response } = await smtp.sendMail({
        from,
        to,
        subject: 'Test email',
        text: 'This is a test. The mail settings of your site work.\n',
        disableFileAccess: true,
        disableUrlAccess: true,
      })
      return `The server accepted it. Its response: ${response.slice(0, RESPONSE_MAX)}`
    })
    return [connected, sent]
  } finally {
    smtp.close()
  }
}
