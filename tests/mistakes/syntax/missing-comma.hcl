# expect: missing-comma at 4:22 || a comma is missing

param "hosts" {
  default = ["alpha" "beta"]
}
