import type { OsTypeId } from '../os-types'

/** Public images by their publishers' accounts and names; docs/images.md has the sources. */
const CANONICAL = ['099720109477', '513442679011']
const CENTOS = ['125523088429']
const DEBIAN = ['136693071363']
const ROCKY = ['792107900819']

export type Architecture = 'x86_64' | 'arm64'

interface Image {
  owners: string[]
  names: string[]
}

export const publicImages: Partial<Record<string, Image>> = {
  'centos-7': { owners: CENTOS, names: ['CentOS 7.*'] },
  'rocky-8': { owners: ROCKY, names: ['Rocky-8-EC2-Base-8.*'] },
  'rocky-9': { owners: ROCKY, names: ['Rocky-9-EC2-Base-9.*'] },
  'ubuntu-22.04': { owners: CANONICAL, names: ['ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-*-server-*'] },
  'ubuntu-24.04': { owners: CANONICAL, names: ['ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-*-server-*'] },
  // debian-12-* would also match the images with backports.
  'debian-12': { owners: DEBIAN, names: ['debian-12-amd64-*', 'debian-12-arm64-*'] },
} satisfies Record<OsTypeId, Image>

/**
 * Instance families with AWS's ARM processors have a g after their generation: c6g, c6gn, t4g, g5g; a1 was the first
 * one.
 */
export const architectureOf = (instanceType: string): Architecture =>
  /^(a1\.|[a-z]+\d+g)/.test(instanceType) ? 'arm64' : 'x86_64'
