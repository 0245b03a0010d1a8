import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '@playwright/test'

/** The newest email to an address. Without an SMTP server, the server saves its emails as files. */
export async function mailTo(dataDir: string, address: string, count = 1): Promise<string> {
  let found: string[] = []
  await expect(async () => {
    found = await mailsTo(dataDir, address)
    expect(found.length, `mails to ${address}`).toBeGreaterThanOrEqual(count)
  }).toPass()
  return found.at(-1) ?? ''
}

/** Oldest first: file names start with the time. */
async function mailsTo(dataDir: string, address: string): Promise<string[]> {
  const folder = join(dataDir, 'mail')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.eml')).toSorted()
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return texts.filter((text) => text.includes(`To: ${address}`)).map(plain)
}

/** Decodes quoted-printable text: joins folded lines and unescapes characters. */
const plain = (mail: string): string =>
  mail
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))

export function linkIn(mail: string): string {
  const link = /https?:\/\/\S+/.exec(mail)?.[0]
  if (!link)
    throw new Error(`No link in this email:\
${mail}`)
  return link
}

export function codeIn(mail: string): string {
  const code = /^\s+(\d{6})\s*$/m.exec(mail)?.[1]
  if (!code)
    throw new Error(`No code in this email:\
${mail}`)
  return code
}
