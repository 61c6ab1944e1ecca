# Makes a file with a greeting, under the temporary folder.
#
#   cargo run --features command -- plan samples/right.hcl
#   cargo run --features command -- apply -p who=Ada samples/right.hcl

param "who" {
  default = "World"
}

sample_crate "welcome" {
  path = "{{or (env `TMPDIR`) `/tmp`}}/sample-crate.txt"
  text = "Hello, {{param `who`}}!\n"
}
