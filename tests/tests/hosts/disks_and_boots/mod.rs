//! Tests that need their own kernel and disks.
//!
//! All scenarios share one guest, because a boot takes long. Each scenario continues where the previous one
//! ended, and one reboot serves several.

use converge_tests::guest::Guest;

mod boots;
mod disks;
mod shares;

#[test]
fn they_do_what_modules_say() {
    let Some(guest) = Guest::start("they_do_what_modules_say") else { return };
    let table = disks::modules_mounts_and_swap(&guest);
    boots::a_change_schedules_one_boot(&guest);
    boots::it_boots_and_the_next_run_goes_on(&guest);
    disks::they_are_there_after_the_boot(&guest, &table);
    shares::of_the_network(&guest);
    disks::volumes_and_file_systems(&guest);
    boots::a_boot_by_hand_is_one(&guest);
    disks::volumes_are_there_after_the_boot(&guest);
}
