import { expect, it } from 'vitest'
import { groupOfAcm, groupOfStacks, publicImageText } from './image-groups'

const image = (id: string, role: 'node' | 'server', region: string) => ({ id, role, region, builtAt: 1 })
const info = {
  publicImages: [
    { osType: 'rocky-9', name: 'Rocky 9', image: 'Rocky-9-*', publisher: 'Rocky', username: 'rocky' },
    { osType: 'debian-12', name: 'Debian 12', image: '', publisher: '', username: '' },
  ],
  stacks: [
    {
      id: '1',
      name: 'Course',
      manager: 'slurm' as const,
      images: [image('ami-1', 'node', 'us-east-1'), image('ami-2', 'server', 'us-east-1')],
    },
    { id: '2', name: 'Global', manager: 'slurm' as const, images: [image('golden', 'node', '')] },
  ],
}

it('offers stack images in the chosen region', () => {
  const labels = (region: string) => groupOfStacks(info, region).options.map(({ label }) => label)
  expect(labels('us-east-1')).toEqual([
    'Course for nodes: ami-1',
    'Course for head nodes: ami-2',
    'Global: golden',
  ])
  expect(labels('eu-west-1')).toEqual(['Global: golden'])
  expect(labels('')).toHaveLength(3)
})

it('offers a MAAS image once, even for several architectures', () => {
  const of = (id: string, name: string, architecture: string) => ({ id, name, architecture, type: 'Synced' })
  const { options } = groupOfAcm([
    of('ubuntu/noble', '24.04 LTS', 'amd64'),
    of('custom/hpc', 'custom/hpc', 'amd64'),
    of('ubuntu/noble', '24.04 LTS', 'arm64'),
  ])
  expect(options).toEqual([
    { value: 'ubuntu/noble', label: 'ubuntu/noble, 24.04 LTS (amd64, arm64)' },
    { value: 'custom/hpc', label: 'custom/hpc (amd64)' },
  ])
})

it('names the public image of an operating system, if there is one', () => {
  expect(publicImageText(info, 'rocky-9')).toBe(
    'Uses the public image Rocky-9-* from Rocky; its login account is rocky.',
  )
  const [rocky] = info.publicImages
  const byNumber = rocky ? [{ ...rocky, publisher: '792107900819' }] : []
  expect(publicImageText({ ...info, publicImages: byNumber }, 'rocky-9')).toContain(
    'from account 792107900819',
  )
  expect(publicImageText(info, 'debian-12')).toBeUndefined()
  expect(publicImageText(undefined, 'rocky-9')).toBeUndefined()
})
