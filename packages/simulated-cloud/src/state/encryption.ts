import { createCipheriv, createDecipheriv, pbkdf2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import * as z from 'zod/mini'
import { ModuleError } from '../language/values'

// OpenTofu's own format of encrypted states and plans, for which there is no separate library.
const derive = promisify(pbkdf2)

/** TF_ENCRYPTION, limited to one key that is derived from a passphrase. */
const Setting = z.object({
  key_provider: z.object({
    pbkdf2: z.object({
      main: z.object({
        passphrase: z.string(),
        key_length: z._default(z.number(), 32),
        iterations: z._default(z.number(), 600_000),
        hash_function: z._default(z.string(), 'sha512'),
      }),
    }),
  }),
  state: z.optional(z.object({ enforced: z._default(z.boolean(), false) })),
  plan: z.optional(z.object({ enforced: z._default(z.boolean(), false) })),
})

const Meta = z.object({
  salt: z.string(),
  iterations: z.number(),
  hash_function: z.string(),
  key_length: z.number(),
})
const Envelope = z.object({
  meta: z.object({ 'key_provider.pbkdf2.main': z.string() }),
  encrypted_data: z.string(),
})

export interface Seal {
  close(
    text: string,
  ): Promise<{ meta: object; encrypted_data: string; encryption_version: string } | undefined>
  /** Returns the text of a file that may be encrypted. */
  open(text: string): Promise<string>
}

const nonceBytes = 12
const tagBytes = 16

/** Encrypts state and plan with AES-GCM; without a setting, they stay unencrypted. */
export function sealFrom(setting: string | undefined, what: 'state' | 'plan'): Seal {
  if (!setting) return { close: async () => undefined, open: async (text) => text }
  const { key_provider, ...whats } = Setting.parse(JSON.parse(setting))
  const { passphrase, ...parameters } = key_provider.pbkdf2.main
  const keys = new Map<string, Promise<Buffer>>()
  const keyFor = (meta: z.infer<typeof Meta>) => {
    const known = keys.get(meta.salt)
    if (known) return known
    const salt = Buffer.from(meta.salt, 'base64')
    const key = derive(passphrase, salt, meta.iterations, meta.key_length, meta.hash_function)
    keys.set(meta.salt, key)
    return key
  }
  return {
    async close(text) {
      // A salt that was used for decryption is reused: every encryption has a new nonce.
      const salt = keys.keys().next().value ?? randomBytes(32).toString('base64')
      const meta = { salt, ...parameters }
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', await keyFor(meta), nonce)
      const data = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return {
        meta: { 'key_provider.pbkdf2.main': Buffer.from(JSON.stringify(meta)).toString('base64') },
        encrypted_data: data.toString('base64'),
        encryption_version: 'v0',
      }
    },
    async open(text) {
      const envelope = Envelope.safeParse(JSON.parse(text))
      if (!envelope.success) {
        if (whats[what]?.enforced)
          throw new ModuleError(`encountered unencrypted ${what} without an unencrypted method configured`)
        return text
      }
      const { meta, encrypted_data } = envelope.data
      const written = Buffer.from(meta['key_provider.pbkdf2.main'], 'base64').toString('utf8')
      const key = await keyFor(Meta.parse(JSON.parse(written)))
      const data = Buffer.from(encrypted_data, 'base64')
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, data.subarray(0, nonceBytes))
        decipher.setAuthTag(data.subarray(-tagBytes))
        const inside = decipher.update(data.subarray(nonceBytes, -tagBytes))
        return Buffer.concat([inside, decipher.final()]).toString('utf8')
      } catch {
        throw new ModuleError(
          `decryption failed for all provided methods: the ${what} was made with another key`,
        )
      }
    },
  }
}
