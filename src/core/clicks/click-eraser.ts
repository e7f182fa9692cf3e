/** Deletes clicks for data protection requests. The behaviour is defined in click-log.contract.ts. */
export interface ClickEraser {
  /** Returns the number of clicks that it deletes, or would delete. Other clicks and all cursors stay. */
  forgetClicks(which: ForgottenClicks, options: { readonly dryRun: boolean }): Promise<number>
}

/** Single clicks of a visitor in a time range, or all clicks and totals of addresses. */
export type ForgottenClicks =
  /** The number as a decimal text, since messages may have to be JSON. */
  | { readonly visitor: string; readonly from: number; readonly before: number }
  | { readonly addresses: readonly string[] }
