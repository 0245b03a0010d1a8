import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { API_KEY, startMaas, type FakeMaas } from '../../../test/support/clouds/maas'
import { maasClient } from './client'
import { baseOf } from './request'
import { shapesOf } from './shapes'

let maas: FakeMaas
beforeAll(async () => {
  maas = await startMaas()
})
beforeEach(() => {
  maas.calls.length = 0
  maas.answer = null
})
afterAll(() => maas.close())
const client = (api_key = API_KEY, api_url = maas.url) => maasClient({ api_url, api_key })

describe('a MAAS site', () => {
  it('returns its machines for a valid key', async () => {
    const machines = await client().machines()
    expect(machines).toHaveLength(5)
    expect(machines[2]).toEqual({
      id: 'sys3',
      hostname: 'node3',
      status: 'Ready',
      pool: 'default',
      zone: 'rack1',
      tags: ['compute', 'gpu'],
      cores: 64,
      memory: 512,
      architecture: 'amd64',
      power: 'off',
      owner: '',
    })
  })

  it('accepts its address in every form', async () => {
    for (const end of ['', '/', '/api/2.0', '/api/2.0/'])
      expect(await client(API_KEY, maas.url + end).images()).toHaveLength(2)
  })

  it('lists each image once, without those that are only for booting', async () => {
    expect(await client().images()).toEqual([
      { id: 'ubuntu/jammy', name: '22.04 LTS', architecture: 'amd64', type: 'Synced' },
      { id: 'custom/hpc', name: 'custom/hpc', architecture: 'amd64', type: 'Uploaded' },
    ])
  })

  it('releases machines in one call', async () => {
    await client().release(['sys2', 'sys 2&x=1'])
    expect(maas.calls).toEqual([
      'POST /MAAS/api/2.0/machines/?op=release machines=sys2&machines=sys+2%26x%3D1&comment=released+in+the+console',
    ])
  })

  it('rejects a wrong key, and a malformed key is not sent', async () => {
    await expect(client('consumerKEY:tokenKEY:wrong').machines()).rejects.toMatchObject({ status: 401 })
    await expect(client('half:key').machines()).rejects.toMatchObject({ status: 401 })
    expect(maas.calls).toEqual([])
  })

  it('unexpected responses are errors, and redirects are not followed', async () => {
    maas.answer = (_request, response) =>
      Boolean(response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end())
    await expect(client().machines()).rejects.toMatchObject({ status: 302 })
    maas.answer = (_request, response) => Boolean(response.end('<html>'))
    await expect(client().machines()).rejects.toThrow('does not belong to a MAAS server')
    maas.answer = (_request, response) => Boolean(response.end('[{"hostname": 7}]'))
    await expect(client().machines()).rejects.toThrow('cannot read')
    maas.answer = (request) => Boolean(request.socket.destroy())
    await expect(client().machines()).rejects.toMatchObject({ code: 'ECONNRESET' })
  })
})

it('rejects addresses of metadata services and invalid URLs', () => {
  for (const url of [
    'http://169.254.169.254/MAAS',
    'http://[fe80::1]/MAAS',
    'http://[::ffff:169.254.169.254]/',
    'http://[fd00:ec2::254]/',
    'http://0xa9fea9fe/',
    'http://2852039166/',
    'http://user:password@maas.example.org/MAAS',
    'ftp://maas.example.org/MAAS',
    'file:///etc/passwd',
    'maas.example.org',
    'http://maas.example.org/MAAS?x=1',
    '',
  ])
    expect(() => baseOf(url), url).toThrow('The API URL is invalid')
  expect(baseOf(' https://maas.example.org:5240/MAAS/ ')).toBe('https://maas.example.org:5240/MAAS/api/2.0/')
})

it('derives shapes from tags and pools, each as large as its smallest machine', async () => {
  const shapes = shapesOf(await client().machines())
  expect(
    shapes.map(({ instance_id, cores, memory, arch, machines, ready }) => [
      instance_id,
      cores,
      memory,
      arch,
      machines,
      ready,
    ]),
  ).toEqual([
    ['tag:arm', 32, 128, 'arm64', 1, 1],
    ['tag:compute', 16, 128, 'x86_64', 3, 2],
    ['tag:gpu', 64, 512, 'x86_64', 1, 1],
    ['pool:default', 16, 128, 'x86_64', 3, 2],
    ['pool:lab', 32, 128, 'arm64', 1, 1],
  ])
})
