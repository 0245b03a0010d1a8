import { secretBehaviours } from '../behaviours/secrets'
import type { Subject } from '../behaviours/subject'
import { survivalBehaviours } from '../behaviours/survival'
import { workBehaviours } from '../behaviours/work'
import { findTofu } from './find'

const real: Subject = {
  name: 'OpenTofu',
  program: () => findTofu({ tofuBin: process.env.TOFU_BIN, env: process.env }),
}

workBehaviours(real)
secretBehaviours(real)
survivalBehaviours(real)
