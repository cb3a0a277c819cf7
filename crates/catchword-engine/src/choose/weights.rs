//! Fitted weights. Written by the training program (`docs/measured.md` says how): do not edit.
//!
//! Fitted to 52682 lines of 31 compactions, of which 1307 say a fact that the summary lost.

use super::{Model, Shares};

/// Percent of the reference that each pool may use before the others.
pub const SHARES: Shares = [18, 10, 5, 33, 13, 5, 10, 6, 8, 3, 4];

pub const FITTED: Model<'static> = Model {
    edges: &[
        // kind of line
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0],
        // rows since
        &[3.135, 3.97, 4.407, 4.745, 5.081],
        // share of the session since
        &[0.132, 0.34, 0.517, 0.69, 0.853],
        // length
        &[21.0, 32.0, 46.0, 62.0, 88.0],
        // specific things
        &[1.0, 2.0, 3.0],
        // specific things the model lacks
        &[1.0, 2.0],
        // share of its specific things the model lacks
        &[0.071, 0.5, 0.667],
        // how often its new things were used
        &[0.693, 1.099, 1.792, 2.773],
        // how often its most used new thing was used
        &[0.693, 1.099, 1.792],
        // how lately a new thing was used
        &[3.258, 4.419, 5.257, 9.0],
        // new things that stand in several kinds of lines
        &[1.0, 2.0],
        // new things that the agent said
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        // new things that the person said
        &[1.0, 2.0],
        // new things in commands
        &[1.0, 3.0],
        // words
        &[1.0, 3.0, 4.0, 7.0],
        // words the model lacks
        &[1.0, 2.0, 4.0],
        // rare words the model lacks
        &[1.324, 3.466, 5.116, 8.511, 14.874],
        // share of its words the model lacks
        &[0.048, 0.428, 0.593, 0.774, 1.0],
        // closeness to the end of the summary
        &[0.002, 0.167, 0.27, 0.389, 0.562],
        // closeness to the latest request
        &[0.002, 0.061, 0.102, 0.161, 0.284],
        // from a failed call
        &[1.0],
        // lines before it in its text
        &[1.0, 9.0, 25.0, 57.0, 124.0],
        // lines after it in its text
        &[1.0, 9.0, 24.0, 50.0, 119.0],
        // lines of its text
        &[1.099, 3.434, 4.234, 4.942, 5.505],
        // position in its text
        &[0.002, 0.2, 0.415, 0.618, 0.811],
        // names an error
        &[1.0],
        // counts results
        &[1.0],
        // list item
        &[1.0],
        // numbered item
        &[1.0],
        // heading
        &[1.0],
        // table row
        &[1.0],
        // emphasis
        &[1.0],
        // code span
        &[1.0],
        // colon
        &[1.0],
        // ends with a colon
        &[1.0],
        // digits
        &[1.0, 2.0, 3.0, 6.0],
        // share of punctuation
        &[0.059, 0.103, 0.138, 0.176, 0.226],
        // runs of the same line
        &[0.693, 1.099, 1.386, 1.609, 1.792, 2.079, 4.127],
        // web address
        &[1.0],
        // letters beyond ASCII
        &[1.0],
        // overtaken by a later run
        &[1.0],
        // in the first prompt
        &[1.0],
        // requests since
        &[0.693, 1.099, 1.386, 1.792, 2.197],
        // in the latest request
        &[1.0],
        // ends a turn
        &[1.0],
        // question
        &[1.0],
        // run with an outcome
        &[1.0],
        // failed run
        &[1.0],
        // lines of the same row
        &[2.708, 3.526, 3.738, 4.331, 4.97],
        // its new things were used again later
        &[1.0, 2.0],
        // says what several rows say
        &[1.0, 2.0, 3.0],
    ],
    weights: &[
        // kind of line
        &[0.03, 0.055, 0.084, 0.21, -0.026, -0.017, 0.004, -0.054, 0.117, -0.194, -0.209],
        // rows since
        &[0.079, 0.236, 0.236, -0.071, -0.054, -0.426],
        // share of the session since
        &[0.047, -0.022, -0.073, 0.025, -0.089, 0.112],
        // length
        &[-0.277, -0.215, -0.206, -0.096, 0.185, 0.608],
        // specific things
        &[-0.145, 0.16, 0.024, -0.039],
        // specific things the model lacks
        &[-0.055, 0.002, 0.053],
        // share of its specific things the model lacks
        &[-0.055, 0.022, -0.019, 0.052],
        // how often its new things were used
        &[-0.055, 0.071, 0.007, -0.017, -0.006],
        // how often its most used new thing was used
        &[-0.055, 0.008, 0.006, 0.041],
        // how lately a new thing was used
        &[0.244, 0.076, -0.131, -0.134, -0.055],
        // new things that stand in several kinds of lines
        &[-0.012, -0.057, 0.07],
        // new things that the agent said
        &[-0.161, 0.156, -0.005, 0.0, 0.005, 0.012, -0.003, -0.001, -0.002],
        // new things that the person said
        &[-0.112, 0.121, -0.009],
        // new things in commands
        &[-0.272, 0.153, 0.119],
        // words
        &[0.1, -0.075, 0.021, -0.094, 0.048],
        // words the model lacks
        &[-0.073, 0.021, -0.093, 0.145],
        // rare words the model lacks
        &[-0.073, 0.186, -0.116, -0.052, 0.032, 0.024],
        // share of its words the model lacks
        &[-0.073, -0.089, -0.067, 0.017, 0.053, 0.159],
        // closeness to the end of the summary
        &[0.001, -0.018, 0.017, -0.035, -0.007, 0.041],
        // closeness to the latest request
        &[-0.049, -0.033, -0.04, 0.022, 0.109, -0.009],
        // from a failed call
        &[-0.127, 0.127],
        // lines before it in its text
        &[0.077, -0.007, 0.063, -0.055, 0.004, -0.083],
        // lines after it in its text
        &[0.089, 0.097, -0.005, -0.08, -0.086, -0.014],
        // lines of its text
        &[-0.001, 0.072, -0.056, 0.092, -0.049, -0.058],
        // position in its text
        &[0.077, 0.026, -0.169, -0.08, 0.049, 0.097],
        // names an error
        &[-0.02, 0.02],
        // counts results
        &[0.018, -0.018],
        // list item
        &[0.023, -0.023],
        // numbered item
        &[0.021, -0.021],
        // heading
        &[0.111, -0.111],
        // table row
        &[-0.082, 0.082],
        // emphasis
        &[-0.122, 0.122],
        // code span
        &[-0.109, 0.109],
        // colon
        &[-0.027, 0.027],
        // ends with a colon
        &[0.061, -0.061],
        // digits
        &[-0.183, 0.071, -0.055, 0.043, 0.123],
        // share of punctuation
        &[-0.09, -0.097, 0.164, 0.256, -0.079, -0.154],
        // runs of the same line
        &[-0.189, 0.072, 0.036, 0.028, 0.005, 0.012, 0.054, -0.019],
        // web address
        &[-0.024, 0.024],
        // letters beyond ASCII
        &[-0.06, 0.06],
        // overtaken by a later run
        &[0.08, -0.08],
        // in the first prompt
        &[-0.002, 0.002],
        // requests since
        &[0.023, 0.024, 0.157, -0.005, 0.133, -0.332],
        // in the latest request
        &[0.004, -0.004],
        // ends a turn
        &[-0.034, 0.034],
        // question
        &[-0.028, 0.028],
        // run with an outcome
        &[-0.127, 0.127],
        // failed run
        &[-0.009, 0.009],
        // lines of the same row
        &[0.397, -0.083, -0.153, -0.14, 0.008, -0.03],
        // its new things were used again later
        &[0.032, -0.06, 0.028],
        // says what several rows say
        &[-0.048, 0.019, 0.03, 0.0],
    ],
};
