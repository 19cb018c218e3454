//! Rules for every hosted page, whatever it shows: structure that a screen reader can follow,
//! nothing that the content security policy would refuse, and few bytes.

mod charges;
mod forms;
mod samples;
mod sight;
mod structure;
mod tags;
