import { describe, expect, it } from 'vitest'
import { JobData, JobInput, scriptProblem, walltimeSeconds } from './jobs'

const job = (data: object) => JobInput.safeParse({ name: 'hello', data: { script: 'echo hi', ...data } })

describe('a job', () => {
  it('has the defaults of the specification', () => {
    expect(job({}).data?.data).toMatchObject({ cores: 1, nodes: 1, gpus: 0, walltime: '01:00:00' })
  })

  it.each([
    ['01:00:00', 3600],
    ['2-00:00:30', 2 * 86_400 + 30],
    ['100:00:00', 360_000],
  ])('wall time %s', (text, seconds) => {
    expect(walltimeSeconds(text)).toBe(seconds)
    expect(job({ walltime: text }).success).toBe(true)
  })
  it.each(['', '1h', '01:60:00', '00:00:00', '-1:00:00'])('refuses the wall time "%s"', (walltime) =>
    expect(job({ walltime }).success).toBe(false),
  )

  it.each([
    ['', 'commands'],
    ['  \n', 'commands'],
    ['#!/bin/bash', 'only comments'],
    ['#!/bin/bash\n\n  # later\n#SBATCH -n 1\n', 'only comments'],
    ['#!bash\necho', 'full path'],
    ['#!bash\n', 'full path'],
    [' #!/bin/sh\necho', 'first line'],
    ['#!/bin/sh\r\necho', 'Windows'],
  ])('reports what is wrong with a script', (script, word) => expect(scriptProblem(script)).toContain(word))
  it.each(['echo hi', '#!/usr/bin/env python3\nprint(1)', '#!/bin/sh\n# first\ndate'])(
    'accepts a valid script',
    (script) => expect(scriptProblem(script)).toBeNull(),
  )
  it('is rejected without a command, but stays readable if it was saved without one', () => {
    const data = { script: '#!/bin/bash\n' }
    expect(job(data).success).toBe(false)
    expect(JobData.safeParse(data).success).toBe(true)
  })
})
