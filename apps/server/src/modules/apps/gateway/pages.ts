import type { ServerResponse } from 'node:http'

/** Pages that an app's host name serves instead of the app. */
const pages = {
  unknown: [404, 'No such app', 'There is no running app at this address. It may have ended.'],
  'no cookie': [
    401,
    'Open this app from the console',
    'Go to Apps in the console and open the session there.',
  ],
  'used ticket': [
    403,
    'This link no longer works',
    'It opens an app once. Open the session again in the console.',
  ],
  foreign: [403, 'Not allowed', 'Another site tried to use this app on your behalf.'],
  'console token': [
    400,
    'Wrong token',
    'This address belongs to an app. Do not send the console’s token here.',
  ],
  'too many': [429, 'Too many requests', 'Wait a moment and try again.'],
  'no answer': [
    502,
    'The app is not responding',
    'It may be busy or may have ended. Check its log in the console.',
  ],
} as const satisfies Record<string, readonly [number, string, string]>
export type PageName = keyof typeof pages

export function pageOf(name: PageName, response: ServerResponse): void {
  if (response.headersSent) return void response.destroy()
  const [status, title, text] = pages[name]
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>\n`
  response
    .writeHead(status, {
      // Overrides the length of an app's response that could not be written.
      'content-length': Buffer.byteLength(html),
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      ...(status === 429 && { 'retry-after': '1' }),
      // The rest of the request's body is not read.
      connection: 'close',
    })
    .end(html)
}
