/** Which organization has which plan. Each method is one atomic step; plan-store.contract.ts says what is promised. */
export interface PlanStore {
  /** By organization; those that were never given one have the default and are left out. */
  assignments(): Promise<ReadonlyMap<string, string>>
  assign(organizationGuid: string, plan: string, at: number): Promise<'assigned' | 'no-organization'>
  /** Another number after every change, whoever made it. */
  version(): Promise<number>
}
