//! The JSON reports of LVM.

use std::str::FromStr;

use converge_sdk::prelude::*;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};

use crate::tools;

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct PhysicalVolume {
    /// The path of the device; `[unknown]` if it is not attached.
    #[serde(rename = "pv_name")]
    pub(super) device: String,
    /// The name of the volume group; empty if there is none.
    #[serde(rename = "vg_name")]
    pub(super) group: String,
    #[serde(rename = "pv_pe_alloc_count", deserialize_with = "number")]
    pub(super) used_extents: u64,
}

impl PhysicalVolume {
    /// Whether the device is not attached, although its group needs it.
    pub(super) fn is_missing(&self) -> bool {
        self.device.starts_with('[')
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct VolumeGroupReport {
    #[serde(rename = "vg_name")]
    pub(super) name: String,
    /// The size of an extent, in bytes.
    #[serde(rename = "vg_extent_size", deserialize_with = "number")]
    pub(super) extent_size: u64,
    #[serde(rename = "vg_extent_count", deserialize_with = "number")]
    pub(super) extents: u64,
    #[serde(rename = "vg_free_count", deserialize_with = "number")]
    pub(super) free_extents: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct LogicalVolumeReport {
    #[serde(rename = "vg_name")]
    pub(super) group: String,
    #[serde(rename = "lv_name")]
    pub(super) name: String,
    /// The size in bytes.
    #[serde(rename = "lv_size", deserialize_with = "number")]
    pub(super) size: u64,
    #[serde(rename = "lv_active", deserialize_with = "active")]
    pub(super) is_active: bool,
}

/// Reads a number, which LVM writes as text.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let text = String::deserialize(deserializer)?;
    u64::from_str(&text).map_err(|error| D::Error::custom(format_args!("{text:?}: {error}")))
}

/// Reads whether a volume is active.
///
/// LVM writes `active`, `remotely active` and so on, or an empty text.
fn active<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(String::deserialize(deserializer)? == "active")
}

#[derive(Deserialize)]
struct Document<T> {
    report: Vec<T>,
}

#[derive(Deserialize)]
struct Pvs {
    pv: Vec<PhysicalVolume>,
}

#[derive(Deserialize)]
struct Vgs {
    vg: Vec<VolumeGroupReport>,
}

#[derive(Deserialize)]
struct Lvs {
    lv: Vec<LogicalVolumeReport>,
}

pub(super) async fn physical_volumes(cx: &Context) -> Result<Vec<PhysicalVolume>> {
    let report: Vec<Pvs> = ask(cx, "pvs", "pv_name,vg_name,pv_pe_alloc_count").await?;
    Ok(report.into_iter().flat_map(|section| section.pv).collect())
}

pub(super) async fn volume_group(cx: &Context, name: &str) -> Result<Option<VolumeGroupReport>> {
    let report: Vec<Vgs> = ask(cx, "vgs", "vg_name,vg_extent_size,vg_extent_count,vg_free_count").await?;
    Ok(report.into_iter().flat_map(|section| section.vg).find(|group| group.name == name))
}

pub(super) async fn logical_volume(
    cx: &Context,
    group: &str,
    name: &str,
) -> Result<Option<LogicalVolumeReport>> {
    let report: Vec<Lvs> = ask(cx, "lvs", "vg_name,lv_name,lv_size,lv_active").await?;
    let mut volumes = report.into_iter().flat_map(|section| section.lv);
    Ok(volumes.find(|volume| volume.group == group && volume.name == name))
}

async fn ask<T: DeserializeOwned>(cx: &Context, program: &str, columns: &str) -> Result<Vec<T>> {
    let args = ["--reportformat", "json", "--units", "b", "--nosuffix", "--options", columns];
    let printed = tools::look(cx, program, args).await?;
    parse(&printed).map_err(|reason| tools::unreadable(program, &reason))
}

fn parse<T: DeserializeOwned>(printed: &str) -> Result<Vec<T>, serde_json::Error> {
    serde_json::from_str::<Document<T>>(printed).map(|document| document.report)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses reports recorded from LVM 2.03.16.
    #[test]
    fn recorded_reports() {
        let pvs = r#"
  {
      "report": [
          {
              "pv": [
                  {"pv_name":"/dev/nvme0n2", "vg_name":"data", "pv_pe_alloc_count":"41"},
                  {"pv_name":"/dev/nvme0n4", "vg_name":"", "pv_pe_alloc_count":"0"},
                  {"pv_name":"[unknown]", "vg_name":"data", "pv_pe_alloc_count":"0"}
              ]
          }
      ]
  }
"#;
        let report: Vec<Pvs> = parse(pvs).unwrap();
        let actual: Vec<_> = report[0]
            .pv
            .iter()
            .map(|pv| (pv.device.as_str(), pv.group.as_str(), pv.used_extents, pv.is_missing()))
            .collect();
        let expect = [
            ("/dev/nvme0n2", "data", 41, false),
            ("/dev/nvme0n4", "", 0, false),
            ("[unknown]", "data", 0, true),
        ];
        assert_eq!(actual, expect);

        let vgs = r#"
  {
      "report": [
          {
              "vg": [
                  {"vg_name":"data", "vg_extent_size":"4194304", "vg_extent_count":"126", "vg_free_count":"0"}
              ]
          }
      ]
  }
"#;
        let report: Vec<Vgs> = parse(vgs).unwrap();
        let group =
            VolumeGroupReport { name: "data".into(), extent_size: 4 << 20, extents: 126, free_extents: 0 };
        assert_eq!(report[0].vg, [group]);

        let lvs = r#"
  {
      "report": [
          {
              "lv": [
                  {"vg_name":"data", "lv_name":"rest", "lv_size":"377487360", "lv_active":""},
                  {"vg_name":"data", "lv_name":"web", "lv_size":"100663296", "lv_active":"active"}
              ]
          }
      ]
  }
"#;
        let report: Vec<Lvs> = parse(lvs).unwrap();
        let actual: Vec<_> =
            report[0].lv.iter().map(|lv| (lv.name.as_str(), lv.size, lv.is_active)).collect();
        assert_eq!(actual, [("rest", 360 << 20, false), ("web", 96 << 20, true)]);

        let empty: Vec<Lvs> = parse(r#"{"report": [{"lv": []}]}"#).unwrap();
        assert!(empty[0].lv.is_empty());
    }

    #[test]
    fn what_is_no_report() {
        let check = |printed: &str, expect: &str| {
            let error = parse::<Vgs>(printed).err().unwrap().to_string();
            assert!(error.contains(expect), "{error}");
        };
        check("", "EOF");
        check(r#"{"report": [{"pv": []}]}"#, "missing field `vg`");
        let group = r#"{"vg_name":"a","vg_extent_size":"4m","vg_extent_count":"1","vg_free_count":"1"}"#;
        check(&format!(r#"{{"report": [{{"vg": [{group}]}}]}}"#), "\"4m\": invalid digit");
    }
}
