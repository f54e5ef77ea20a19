/** A path of own members; list entries by their index as text. Empty: the value itself. */
export type JsonPath = readonly string[];

/**
 * Where a text stands in a delivery. Header names are lower case. `json` is read in the item, which is the whole body
 * where a vendor sends no batches; `whole` always in the body, `parent` in the entry that holds the item's list, and
 * `inner` in the JSON that a member carries as text (`VendorProfile.inner`). `origin` is scheme and host of the URL that
 * stands there; a text that is none is nothing.
 */
export type Place =
  | { header: string }
  | { query: string }
  | { json: JsonPath }
  | { whole: JsonPath }
  | { parent: JsonPath }
  | { inner: JsonPath }
  | { origin: JsonPath }
  | { literal: string };

/** That something stands at a place, is exactly a text (numbers as they are written), or that nothing stands there. */
export type Condition = { at: Place; is?: string; absent?: true };
