// Writes times as people do where they are. Without this they are in UTC.

/** Writes the times within an element. */
export function writeTimes(element) {
  for (const time of element.querySelectorAll("time")) {
    time.textContent = new Date(time.dateTime).toLocaleString(undefined, {
      dateStyle: "medium",
      timeStyle: "short",
    });
  }
}
