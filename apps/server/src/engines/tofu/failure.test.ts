import { expect, it } from 'vitest'
import { failureOf } from './failure'

const error = (detail: string, address = 'aws_instance.node["node1"]') => ({
  severity: 'error' as const,
  summary: 'creating EC2 Instance',
  detail,
  address,
})

it('distinguishes a size that is not offered from a lack of capacity, throttling and quotas', () => {
  const capacity = error(
    'api error InsufficientInstanceCapacity: We currently do not have sufficient capacity',
  )
  expect(failureOf([capacity], 1)).toMatchObject({ code: 'capacity', addresses: [capacity.address] })
  const nowhere =
    'api error Unsupported: Your requested instance type (p5.48xlarge) is not supported in your requested Availability Zone (us-east-1e).'
  expect(failureOf([error(nowhere)], 1)).toMatchObject({ code: 'unsupported' })
  expect(failureOf([error('api error RequestLimitExceeded: Request limit exceeded.')], 1)).toMatchObject({
    code: 'throttled',
  })
  expect(
    failureOf([error('api error VcpuLimitExceeded: more vCPU capacity than your limit')], 1),
  ).toMatchObject({
    code: 'quota',
  })
})

it('explains a lookup without results', () => {
  for (const detail of [
    'Your query returned no results. Please change your search criteria and try again.',
    "api error InvalidSubnetID.NotFound: The subnet ID 'subnet-1' does not exist",
  ])
    expect(failureOf([error(detail)], 1)).toMatchObject({
      message: expect.stringContaining('was not found in the cloud'),
      details: [`creating EC2 Instance\n${detail}`],
    })
})

it('reports an unknown cause only once', () => {
  const { explanation } = failureOf([error('api error InvalidParameter: odd')], 1)
  expect(explanation).toBe('creating EC2 Instance\napi error InvalidParameter: odd.')
  expect(failureOf([error('')], 1).explanation).toBe('creating EC2 Instance')
})
