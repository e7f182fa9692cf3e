import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** One project after the other: a worker shares its modules among files of one project, and begins anew at every change. */
export class ProjectByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const names = this.ctx.projects.map(({ name }) => name)
    // Sorting keeps the order of equals.
    return sorted.sort((one, other) => names.indexOf(one.project.name) - names.indexOf(other.project.name))
  }
}
