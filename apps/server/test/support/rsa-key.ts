import { generateKeyPairSync, type KeyObject } from 'node:crypto'

const makePair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
let pair: ReturnType<typeof makePair> | undefined
let other: KeyObject | undefined

/** The key of the account in the fake clouds. It is generated once per test file, because that takes up to a second. */
export const rsaPair = () => (pair ??= makePair())

/** A key that belongs to no account. */
export const unknownRsaKey = (): KeyObject => (other ??= makePair().privateKey)

export const pemOf = (privateKey: KeyObject, type: 'pkcs1' | 'pkcs8' = 'pkcs8'): string =>
  privateKey.export({ format: 'pem', type }).toString()
