# expect: ? port
# run: plan --params-file lib/params.json

param "port" {
  type = "number"
}
