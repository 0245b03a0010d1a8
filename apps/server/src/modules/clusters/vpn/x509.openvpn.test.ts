import { execFileSync, spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeCertificate, makeKey, makeRevocations } from './x509'

// These tests check our certificates with other implementations: Node's parser, and openssl, which OpenVPN builds on.

const DAY = 86_400_000
const span = { from: new Date(Date.now() - DAY), to: new Date(Date.now() + DAY) }
const authority = { name: 'Authority "of" a cluster, größer', key: makeKey() }
const by = (serial: number, name: string, usage: 'server' | 'client', key = makeKey()) =>
  makeCertificate({ name, key, usage, serial, ...span }, authority)
const ca = await makeCertificate({ ...authority, usage: 'authority', serial: 1, ...span }, authority)
const server = await by(2, 'server', 'server')
const anna = await by(3, 'anna', 'client')
const bert = await by(128, 'bert', 'client')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-'))
  const revoked = [{ serial: 128, at: new Date() }]
  const files = {
    ca,
    server,
    anna,
    bert,
    crl: await makeRevocations({ number: 1, revoked, ...span }, authority),
    none: await makeRevocations({ number: 0, revoked: [], ...span }, authority),
    stranger: await makeCertificate(
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

test('openssl accepts certificates only for their purpose', () => {
  expect(verify('server', '-purpose', 'sslserver')).toContain('server.pem: OK')
  expect(verify('anna', '-purpose', 'sslclient')).toContain('anna.pem: OK')
  expect(verify('anna', '-purpose', 'sslserver')).toContain('unsuitable certificate purpose')
  expect(verify('server', '-purpose', 'sslclient')).toContain('unsuitable certificate purpose')
})

test('only a revoked certificate is rejected', () => {
  const list = ['-crl_check', '-CRLfile', 'crl.pem']
  expect(verify('anna', ...list)).toContain('anna.pem: OK')
  expect(verify('bert', ...list)).toContain('certificate revoked')
  expect(verify('bert', '-crl_check', '-CRLfile', 'none.pem')).toContain('bert.pem: OK')
})

test('a certificate of another authority with the same name is rejected', () => {
  const { stderr } = spawnSync('openssl', ['verify', '-CAfile', 'stranger.pem', 'anna.pem'], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect(stderr).toContain('verification failed')
})

test('Node’s parser reads the same values', () => {
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

test('the text form shows the algorithm, the curve and the key usage', () => {
  const text = execFileSync('openssl', ['x509', '-noout', '-text', '-in', 'server.pem'], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect(text).toContain('ecdsa-with-SHA256')
  expect(text).toContain('NIST CURVE: P-256')
  expect(text).toMatch(/Key Usage: critical\s+Digital Signature, Key Agreement/)
  expect(text).toContain('TLS Web Server Authentication')
})

test('years from 2050 on have four digits, as RFC 5280 requires', async () => {
  const certificate = await makeCertificate(
    { ...authority, usage: 'authority', serial: 1, from: new Date(), to: new Date('2051-02-03T04:05:06Z') },
    authority,
  )
  const text = execFileSync('openssl', ['asn1parse'], { input: certificate, encoding: 'utf8' })
  expect(text).toMatch(/GENERALIZEDTIME\s*:20510203040506Z/)
})

test('a name that looks like several name parts stays one name', async () => {
  const certificate = await by(5, 'eve,O=Admins+CN=root', 'client')
  expect(new X509Certificate(certificate).subject).toBe('CN=eve\\,O=Admins\\+CN=root')
})

test('a client of an older authority is accepted: names and key ids are encoded alike', async () => {
  const old = path.join(folder, 'old')
  await mkdir(old)
  const run = (...argv: string[]) =>
    execFileSync('openssl', argv, { cwd: old, encoding: 'utf8', stdio: 'pipe' })
  run('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'ec.pem')
  run('pkcs8', '-topk8', '-nocrypt', '-in', 'ec.pem', '-out', 'key.pem')
  const request = ['-new', '-x509', '-utf8', '-key', 'key.pem', '-subj', '/CN=old', '-days', '2']
  run('req', ...request, '-addext', 'keyUsage=critical,keyCertSign,cRLSign', '-out', 'ca.pem')
  const key = await readFile(path.join(old, 'key.pem'), 'utf8')
  const client = await makeCertificate(
    { name: 'anna', key: makeKey(), usage: 'client', serial: 7, ...span },
    { name: 'old', key },
  )
  await writeFile(path.join(old, 'anna.pem'), client)
  expect(run('verify', '-x509_strict', '-CAfile', 'ca.pem', 'anna.pem')).toContain('anna.pem: OK')
})
