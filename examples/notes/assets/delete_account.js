// The button of /security/delete.

import { send } from "./send.js";
import { enhance } from "./forms.js";

enhance(
  document.querySelector("#delete"),
  () => send("DELETE /account"),
  { done: () => location.assign("/") },
);
