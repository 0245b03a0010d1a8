/**
 * EC2's vCPU quotas by the letters that an instance type begins with: their name, and their codes on demand and for
 * spot; high memory and HPC instances have no spot quota.
 * docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-quotas.html lists the quotas; a code that AWS does not know
 * counts as no quota.
 */
type Family = [name: string, onDemand: string, spot: string]
const STANDARD: Family = ['Standard (A, C, D, H, I, M, R, T, Z)', 'L-1216C47A', 'L-34B43A08']
const G_AND_VT: Family = ['G and VT', 'L-DB2E81BA', 'L-3819A6DF']
const families: Record<string, Family> = {
  ...Object.fromEntries(
    ['a', 'c', 'd', 'h', 'i', 'im', 'is', 'm', 'r', 't', 'z'].map((one) => [one, STANDARD]),
  ),
  ...Object.fromEntries(['g', 'gr', 'vt'].map((one) => [one, G_AND_VT])),
  dl: ['DL', 'L-6E869C2A', 'L-85EED4F7'],
  f: ['F', 'L-74FC7D96', 'L-88CF9481'],
  hpc: ['HPC', 'L-F7808C92', ''],
  inf: ['Inf', 'L-1945791B', 'L-B5D1601B'],
  p: ['P', 'L-417A185B', 'L-7212CCBC'],
  trn: ['Trn', 'L-2C3B7624', 'L-6B0D517C'],
  u: ['High Memory', 'L-43DA4232', ''],
  x: ['X', 'L-7295265B', 'L-E3A00192'],
}
/** P5 instances have a separate spot quota. */
const P5: Family = ['P5', '', 'L-C4BD4855']
export const ADDRESSES = 'L-0263D0A3'
export const VPCS = 'L-F678F1CE'

/** The quota that counts a machine; its code is empty if none is known. */
export function quotaOf(type: string, spot: boolean): { code: string; name: string } {
  const [letters = ''] = /^[a-z]+/.exec(type) ?? []
  const [name, onDemand, ofSpot] = (spot && type.startsWith('p5') ? P5 : families[letters]) ?? ['', '', '']
  return spot
    ? { code: ofSpot, name: `All ${name} Spot Instance Requests` }
    : { code: onDemand, name: `Running On-Demand ${name} instances` }
}
