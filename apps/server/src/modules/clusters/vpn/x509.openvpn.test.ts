import { execFileSync, spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { integer, objectId, time } from './der'
import { makeCertificate, makeKey, makeRevocations } from './x509'

// Certificates of our own making, looked at by others: Node's reader, and the program openssl, which OpenVPN builds on.

const DAY = 86_400_000
const span = { from: new Date(Date.now() - DAY), to: new Date(Date.now() + DAY) }
const authority = { name: 'Authority "of" a cluster, größer', key: makeKey() }
const by = (serial: number, name: string, usage: 'server' | 'client', key = makeKey()) =>
  makeCertificate({ name, key, usage, serial, ...span }, authority)
const ca = makeCertificate({ ...authority, usage: 'authority', serial: 1, ...span }, authority)
const server = by(2, 'server', 'server')
const anna = by(3, 'anna', 'client')
const bert = by(128, 'bert', 'client')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-'))
  const revoked = [{ serial: 128, at: new Date() }]
  const files = {
    ca,
    server,
    anna,
    bert,
    crl: makeRevocations({ number: 1, revoked, ...span }, authority),
    none: makeRevocations({ number: 0, revoked: [], ...span }, authority),
    stranger: makeCertificate(
      { ...authority, key: makeKey(), usage: 'authority', serial: 1, ...span },
      authority,
    ),
  }
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, `${name}.pem`), text)
})
afterAll(() => rm(folder, { recursive: true }))
const verify = (name: string, ...more: string[]) => {
  const argv = ['verify', '-x509_strict', '-CAfile', 'ca.pem', ...more, `${name}.pem`]
  const { stdout, stderr } = spawnSync('openssl', argv, { cwd: folder, encoding: 'utf8' })
  return `${stdout}${stderr}`
}

test('openssl takes them for what they are for, and for nothing else', () => {
  expect(verify('server', '-purpose', 'sslserver')).toContain('server.pem: OK')
  expect(verify('anna', '-purpose', 'sslclient')).toContain('anna.pem: OK')
  expect(verify('anna', '-purpose', 'sslserver')).toContain('unsuitable certificate purpose')
  expect(verify('server', '-purpose', 'sslclient')).toContain('unsuitable certificate purpose')
})

test('one that counts no more is refused, and the others are not', () => {
  const list = ['-crl_check', '-CRLfile', 'crl.pem']
  expect(verify('anna', ...list)).toContain('anna.pem: OK')
  expect(verify('bert', ...list)).toContain('certificate revoked')
  expect(verify('bert', '-crl_check', '-CRLfile', 'none.pem')).toContain('bert.pem: OK')
})

test('one of another authority with the same name is refused', () => {
  const { stderr } = spawnSync('openssl', ['verify', '-CAfile', 'stranger.pem', 'anna.pem'], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect(stderr).toContain('verification failed')
})

test('Node reads the same out of them', () => {
  const read = new X509Certificate(anna)
  expect(read.subject).toBe('CN=anna')
  expect(read.serialNumber).toBe('03')
  expect(new X509Certificate(bert).serialNumber).toBe('80')
  expect(read.checkIssued(new X509Certificate(ca))).toBe(true)
  expect(read.verify(new X509Certificate(ca).publicKey)).toBe(true)
  expect(Math.abs(Date.parse(read.validTo) - span.to.getTime())).toBeLessThan(1000)
  expect(new X509Certificate(ca).ca).toBe(true)
  expect(read.ca).toBe(false)
})

test('what they say in words is right', () => {
  const words = execFileSync('openssl', ['x509', '-noout', '-text', '-in', 'server.pem'], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect(words).toContain('ecdsa-with-SHA256')
  expect(words).toContain('NIST CURVE: P-256')
  expect(words).toMatch(/Key Usage: critical\s+Digital Signature, Key Agreement/)
  expect(words).toContain('TLS Web Server Authentication')
})

test('numbers, names and times are written as DER wants them', () => {
  expect(integer(0).toString('hex')).toBe('020100')
  expect(integer(127).toString('hex')).toBe('02017f')
  expect(integer(128).toString('hex')).toBe('02020080')
  expect(integer(256).toString('hex')).toBe('02020100')
  expect(objectId('1.2.840.10045.4.3.2').toString('hex')).toBe('06082a8648ce3d040302')
  expect(time(new Date('2049-12-31T23:59:59Z')).toString()).toContain('491231235959Z')
  expect(time(new Date('2050-01-01T00:00:00Z')).toString()).toContain('20500101000000Z')
})
