//! What every hosted page owes its reader, whatever it shows: structure a screen reader can
//! follow, nothing the content security policy would refuse, and few bytes.

mod charges;
mod forms;
mod samples;
mod sight;
mod structure;
mod tags;
