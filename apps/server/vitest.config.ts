import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { parts } from '../../scripts/parts/parts.mjs'

// What npm test found or installed; without it, manually, everything is tried.
const there = process.env.FLOTILLA_PARTS?.split(',')
// What takes minutes has its turn in `npm run soak`.
const soaking = process.env.FLOTILLA_SOAK !== undefined
const leftOut = there ? parts.map(({ name }) => name).filter((name) => !there.includes(name)) : []
if (!soaking) leftOut.push('soak')

/** What waits for daemons and clocks begins first, so that it does not hold up the end; the rest goes on beside it. */
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
    // A worker runs most code a few times only: optimized code would not pay off.
    execArgv: ['--no-opt', '--no-maglev'],
    // Much of the time goes by waiting for other processes.
    maxWorkers: 2 * availableParallelism(),
    // Reading the whole server again for each file would take longer than most files' tests.
    isolate: false,
    // Reading it a second time is mostly a matter of what has changed since.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: WaitingFirst },
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // A test that needs a part has it in its name: jobs.slurm.test.ts
    exclude: [...configDefaults.exclude, ...leftOut.map((name) => `**/*.${name}.**`)],
    // Clouds that are simulated take no time of their own, unless a test says so.
    env: { SIMULATED_CLOUD_PACE: '0.02' },
    globalSetup: ['test/support/database/global-setup.ts', 'test/support/console/console-setup.ts'],
    // Patience for a busy machine: a passing test never waits this long, and `until` has no limit of its own.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
