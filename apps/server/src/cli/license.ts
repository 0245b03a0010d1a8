import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { MULTI_USER_LICENSE } from '@flotilla/contract/site/license'
import { messageOf } from '../explain'
import { makeKeyPair, signLicense } from '../modules/license/file'

const DAY_MS = 24 * 60 * 60_000

const usage = `Create a key pair and sign license files with it.

  npm run license -- keys [--out license]
      writes license.key (keep it secret) and license.pub (give it to the server as LICENSE_PUBLIC_KEY_FILE)
  npm run license -- sign --to "Example University" --until 2027-12-31 [--type ${MULTI_USER_LICENSE}] [--from 2026-01-01]
                          [--key license.key] [--out license.json]
      writes a signed file (give it to the server as LICENSE_FILE)
`

const date = (name: string, text: string): number => {
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw new Error(`--${name} must be a date such as 2027-12-31`)
  return time
}

function main(): void {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      out: { type: 'string' },
      key: { type: 'string', default: 'license.key' },
      type: { type: 'string', default: MULTI_USER_LICENSE },
      to: { type: 'string' },
      from: { type: 'string' },
      until: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const [command] = positionals
  if (values.help) {
    process.stdout.write(usage)
  } else if (command === 'keys') {
    const name = values.out ?? 'license'
    const { publicKey, privateKey } = makeKeyPair()
    writeFileSync(`${name}.key`, privateKey, { mode: 0o600, flag: 'wx' })
    writeFileSync(`${name}.pub`, publicKey, { flag: 'wx' })
    process.stdout.write(`Wrote ${name}.key (keep it secret) and ${name}.pub\n`)
  } else if (command === 'sign' && values.to && values.until) {
    const terms = {
      licenseType: values.type,
      issuedTo: values.to,
      validFrom: values.from ? date('from', values.from) : Date.now(),
      // The day itself is included.
      validUntil: date('until', values.until) + DAY_MS - 1,
    }
    const out = values.out ?? 'license.json'
    writeFileSync(out, signLicense(terms, readFileSync(values.key, 'utf8')))
    process.stdout.write(`Wrote ${out}: ${terms.licenseType} for ${terms.issuedTo} until ${values.until}\n`)
  } else {
    process.stderr.write(usage)
    process.exitCode = 2
  }
}

try {
  main()
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`)
  process.exitCode = 1
}
