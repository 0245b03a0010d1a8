import { secretBehaviors } from '../behaviors/secrets'
import type { Subject } from '../behaviors/subject'
import { survivalBehaviors } from '../behaviors/survival'
import { workBehaviors } from '../behaviors/work'
import { findTofu } from './find'

const real: Subject = {
  name: 'OpenTofu',
  program: () => findTofu({ tofuBin: process.env.TOFU_BIN, env: process.env }),
}

workBehaviors(real)
secretBehaviors(real)
survivalBehaviors(real)
