# Greets somebody in a file, with the resource that `examples/custom_command.rs` adds to the command.
#
#   cargo run --example custom_command -- docs greeting
#   cargo run --example custom_command -- plan -p who=Ada examples/custom_command.hcl

param "who" {
  default = "World"
}

greeting "hello" {
  file = "{{or (env `TMPDIR`) `/tmp`}}/converge-own-command.txt"
  who  = "{{param `who`}}"
}
