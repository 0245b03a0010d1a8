import { expect, it } from 'vitest'
import { licenseProblem } from './license'

const refusal = (body: object) => new Response(JSON.stringify(body), { status: 403 })
const invalid = { code: 'license_invalid', message: 'The license is invalid' }

it.each([
  [{ ...invalid, reason: 'expired' }, ['The license has expired']],
  [{ ...invalid, reason: 'toString' }, []],
  [invalid, []],
])('the response %j gives the cause %j', async (body, hints) => {
  expect(await licenseProblem(refusal(body))).toEqual({
    title: 'Invalid License',
    message: 'The license is invalid, please request the administrator to update it.',
    hints,
  })
})
