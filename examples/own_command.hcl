# Greets somebody in a file, with the resource that `examples/own_command.rs` adds to the command.
#
#   cargo run --example own_command -- docs greeting
#   cargo run --example own_command -- plan -p who=Ada examples/own_command.hcl

param "who" {
  default = "World"
}

greeting "hello" {
  file = "{{or (env `TMPDIR`) `/tmp`}}/converge-own-command.txt"
  who  = "{{param `who`}}"
}
