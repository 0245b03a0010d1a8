import { describe, expect, it } from 'vitest'
import { redactor } from './redact'

const key = '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n-----END KEY-----\n'

describe('redaction', () => {
  it('finds a value verbatim, in JSON, and in base64 at any offset', () => {
    const redact = redactor(['s3cr+t/"value"'])
    expect(redact('it is s3cr+t/"value".')).toBe('it is (redacted).')
    expect(redact(JSON.stringify({ a: 's3cr+t/"value"' }))).toBe('{"a":"(redacted)"}')
    for (const before of ['', 'x', 'xx', 'xxx']) {
      const packed = Buffer.from(`${before}s3cr+t/"value" and more`).toString('base64')
      expect(redact(packed)).toContain('(redacted)')
      expect(redact(Buffer.from(`${before}s3cr+t/"value"`).toString('base64url'))).toContain('(redacted)')
    }
  })

  it('finds each line of a key', () => {
    const redact = redactor([key])
    expect(redact('line: MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7')).toBe('line: (redacted)')
    expect(redact(JSON.stringify({ key }))).not.toContain('MIIE')
  })

  it('does not change short words or anything else', () => {
    const redact = redactor(['on', '', '  ', 'the whole secret'])
    expect(redact('one on the whole')).toBe('one on the whole')
  })

  it('handles thousands of large values', () => {
    const values = Array.from({ length: 2_000 }, (_, index) => `${index}`.padStart(6, 'x').repeat(800))
    const redact = redactor(values)
    expect(redact(`a ${values[7]} b`)).toBe('a (redacted) b')
  })
})
