# Uses the module, under the temporary folder.
#
#   converge apply samples/site.hcl

module "../main.hcl" "greeting" {
  params {
    folder = "{{or (env `TMPDIR`) `/tmp`}}/sample-crate"
    who    = "Ada"
  }
}
