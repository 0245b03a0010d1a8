import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { parts } from '../../scripts/parts/parts.mjs'

// The parts that `npm test` found or installed. If unset, when vitest is started by hand, all tests run.
const there = process.env.FLOTILLA_PARTS?.split(',')
// Tests that take minutes run only in `npm run soak`.
const soaking = process.env.FLOTILLA_SOAK !== undefined
const leftOut = there ? parts.map(({ name }) => name).filter((name) => !there.includes(name)) : []
if (!soaking) leftOut.push('soak')

/** Starts the files that wait for daemons and clocks first, so that the last of them does not hold up the run. */
class WaitingFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const waits = ({ moduleId }: TestSpecification) =>
      /burst|\.(slurm|slurmdbd|sshd|moto|tofu)\.|cloud-|stacks-builds|queue|kill|executor|simulated|embedded|images\.packer|machine-|removal|training-l|transports\/|terminals\/|addresses|managers|track\.|desktops|database\.test/.test(
        moduleId,
      )
    return Promise.resolve([...files.filter(waits), ...files.filter((file) => !waits(file))])
  }
}

export default defineConfig({
  test: {
    pool: 'forks',
    // A worker runs most code only a few times: optimizing it would not pay off.
    execArgv: ['--no-opt', '--no-maglev'],
    // Tests spend much of their time waiting for other processes.
    maxWorkers: 2 * availableParallelism(),
    // Loading the whole server again for each file would take longer than most files' tests.
    isolate: false,
    // Caches transformed modules, so that later runs transform only what has changed.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: WaitingFirst },
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // The parts that a test needs are in its file name: jobs.slurm.test.ts
    exclude: [...configDefaults.exclude, ...leftOut.map((name) => `**/*.${name}.**`)],
    // Simulated clouds respond almost at once, unless a test sets another pace.
    env: { SIMULATED_CLOUD_PACE: '0.02' },
    globalSetup: ['test/support/database/global-setup.ts', 'test/support/console/console-setup.ts'],
    // Long enough for a busy machine: a passing test never waits this long, and `until` has no limit of its own.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
