import { expect, it } from 'vitest'
import { answerChallenge, isRightAnswer, newChallenge, passwordFile, xAuthority } from './auth'

it('writes password files in the format of vncpasswd', () => {
  // printf 'password' | vncpasswd -f | xxd -p
  expect(passwordFile('password').toString('hex')).toBe('dbd83cfd727a1458')
})

it('answers a challenge and accepts only the correct answer', () => {
  const challenge = newChallenge()
  const answer = answerChallenge('s3cret', challenge)
  expect(answer).toHaveLength(16)
  expect(isRightAnswer('s3cret', challenge, answer)).toBe(true)
  expect(isRightAnswer('other', challenge, answer)).toBe(false)
  expect(isRightAnswer('s3cret', challenge, answer.subarray(1))).toBe(false)
})

it('creates a new cookie each time', () => {
  const [one, other] = [xAuthority(), xAuthority()]
  expect(one).toHaveLength(2 + 2 + 2 + 20 + 18)
  expect(one.subarray(0, 28)).toEqual(other.subarray(0, 28))
  expect(one.equals(other)).toBe(false)
})
