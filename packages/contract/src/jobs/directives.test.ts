import { expect, test } from 'vitest'
import { directiveNotes, scriptArray, scriptNotes } from './directives'

const job = { name: 'solve', data: { nodes: 2, cores: 4, gpus: 0, walltime: '00:10:00', array: '' } }

test('a directive that the form overrides is reported with the value that applies', () => {
  const script = `#!/bin/bash
# A comment ends nothing.
#SBATCH --time=02:00:00 --mem=4G # long
#SBATCH -N 3
#SBATCH -t5

#SBATCH --job-name="my job" --exclusive
#SBATCH --gpus-per-node=1
#SBATCH -p long
#SBATCHED --nodes=9
 #SBATCH --nodes=8
srun ./solve
#SBATCH --nodes=7
`
  expect(directiveNotes(job, script, 'slurm')).toEqual([
    'Line 3, --time=02:00:00, has no effect: the form sets the wall time to 00:10:00.',
    'Line 4, -N 3, has no effect: the form sets the number of nodes to 2.',
    'Line 5, -t5, has no effect: the form sets the wall time to 00:10:00.',
    `Line 7, --job-name="my job", has no effect: the form sets the name to solve.`,
    'Line 9, -p long, takes effect only on clusters without a default partition.',
    'Line 13, #SBATCH --nodes=7, has no effect: it comes after the first command.',
    'Not set by the form, so it takes effect as written: --mem=4G (line 3), --exclusive (line 7), --gpus-per-node=1 (line 8).',
  ])
  expect(directiveNotes(job, script, 'torque')).toEqual([
    'Lines 3, 4, 5, 7, 8, 9 and 13 are #SBATCH lines, which Torque ignores.',
  ])
})

test('each resource of a Torque directive is reported separately', () => {
  const script = '#PBS -l nodes=1:ppn=8,walltime=02:00:00,mem=4gb\n#PBS -t 1-3\necho\n'
  expect(directiveNotes(job, script, 'torque')).toEqual([
    'Line 1, -l nodes=1:ppn=8, has no effect: the form sets nodes=2:ppn=4.',
    'Line 1, -l walltime=02:00:00, has no effect: the form sets the wall time to 00:10:00.',
    'Not set by the form, so it takes effect as written: -l mem=4gb (line 1), -t 1-3 (line 2).',
  ])
  const withArray = { ...job, data: { ...job.data, array: '1-9' } }
  expect(directiveNotes(withArray, script, 'torque')).toContain(
    'Line 2, -t 1-3, has no effect: the form sets the array tasks to 1-9.',
  )
})

test('directives that nothing reads are reported, and a script without any has no notes', () => {
  const both = '#!/bin/bash\n#SBATCH -N 1\n#PBS -N x\necho\n'
  expect(directiveNotes(job, both, 'none')).toEqual([
    'Line 2 is a #SBATCH line, which the built-in executor ignores.',
    'Line 3 is a #PBS line, which the built-in executor ignores.',
  ])
  expect(directiveNotes(job, both, 'slurm')).toContain('Line 3 is a #PBS line, which Slurm ignores.')
  expect(scriptNotes(job, both)).toEqual([
    'Line 2, -N 1, has no effect: the form sets the number of nodes to 2.',
    'Only Slurm reads #SBATCH lines; other clusters ignore them.',
    'Line 3, -N x, has no effect: the form sets the name to solve.',
    'Only Torque reads #PBS lines; other clusters ignore them.',
  ])
  expect(scriptNotes(job, '#!/bin/bash\necho\n')).toEqual([])
})

test('array tasks are read from directives in the script', () => {
  const tasks = (lines: string, manager: 'torque' | 'slurm' | 'none' = 'torque') =>
    scriptArray(`#!/bin/bash\n${lines}\necho\n#PBS -t 7\n`, manager)
  expect(tasks('#PBS -t 1-3')).toBe('1-3')
  expect(tasks('#PBS -l mem=1gb -t1,5%2 # some')).toBe('1,5%2')
  expect(tasks('#PBS -t 1-3\n#PBS -t 4'), 'the last one counts').toBe('4')
  expect(tasks('#SBATCH --array=1-3', 'slurm')).toBe('1-3')
  expect(tasks('#SBATCH --array 1-3', 'slurm')).toBe('1-3')
  expect(tasks('#SBATCH -a "2-9%4"', 'slurm')).toBe('2-9%4')
  for (const none of ['', '#SBATCH --array=1-3', '#PBS -t x']) expect(tasks(none)).toBe('')
  expect(tasks('#PBS -t 1-3', 'none')).toBe('')
})
