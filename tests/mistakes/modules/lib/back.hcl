module "../includes-its-caller.hcl" "back" {}
