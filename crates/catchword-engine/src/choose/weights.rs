//! Fitted weights. Written by the training program (`docs/measured.md` says how): do not edit.
//!
//! Fitted to 51766 lines of 31 compactions, of which 1216 say a fact that the summary lost.

use super::{Model, Shares};

/// Percent of the reference that each pool may use before the others.
pub const SHARES: Shares = [18, 10, 5, 33, 13, 5, 10, 6, 8, 3, 4];

pub const FITTED: Model<'static> = Model {
    edges: &[
        // kind of line
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0],
        // rows since
        &[3.091, 3.85, 4.248, 4.585, 4.905],
        // share of the session since
        &[0.14, 0.342, 0.52, 0.696, 0.857],
        // length
        &[21.0, 32.0, 46.0, 62.0, 87.0],
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
        &[3.135, 4.248, 5.1, 9.0],
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
        &[1.324, 3.344, 5.067, 8.253, 14.435],
        // share of its words the model lacks
        &[0.048, 0.431, 0.595, 0.779, 1.0],
        // closeness to the end of the summary
        &[0.001, 0.165, 0.268, 0.39, 0.561],
        // closeness to the latest request
        &[0.001, 0.059, 0.099, 0.157, 0.278],
        // from a failed call
        &[1.0],
        // lines before it in its text
        &[1.0, 9.0, 25.0, 57.0, 125.0],
        // lines after it in its text
        &[1.0, 9.0, 24.0, 50.0, 119.0],
        // lines of its text
        &[1.099, 3.466, 4.248, 4.949, 5.505],
        // position in its text
        &[0.002, 0.2, 0.413, 0.617, 0.811],
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
        &[0.06, 0.103, 0.138, 0.176, 0.226],
        // runs of the same line
        &[0.693, 1.099, 1.386, 1.609, 1.792, 3.178],
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
        &[2.773, 3.526, 3.738, 4.331, 4.97],
        // its new things were used again later
        &[1.0, 2.0],
        // says what several rows say
        &[1.0, 2.0],
    ],
    weights: &[
        // kind of line
        &[0.015, 0.061, 0.092, 0.244, -0.046, -0.03, -0.013, -0.038, 0.116, -0.21, -0.191],
        // rows since
        &[0.093, 0.206, 0.138, 0.047, -0.104, -0.381],
        // share of the session since
        &[0.069, -0.015, -0.107, -0.006, -0.054, 0.114],
        // length
        &[-0.283, -0.248, -0.201, -0.067, 0.192, 0.606],
        // specific things
        &[-0.148, 0.146, 0.012, -0.01],
        // specific things the model lacks
        &[-0.063, -0.002, 0.065],
        // share of its specific things the model lacks
        &[-0.063, 0.03, -0.006, 0.039],
        // how often its new things were used
        &[-0.063, 0.065, 0.02, -0.017, -0.005],
        // how often its most used new thing was used
        &[-0.063, 0.026, 0.017, 0.02],
        // how lately a new thing was used
        &[0.249, 0.072, -0.126, -0.131, -0.063],
        // new things that stand in several kinds of lines
        &[0.029, -0.084, 0.055],
        // new things that the agent said
        &[-0.154, 0.153, -0.007, 0.003, 0.002, 0.011, -0.003, -0.002, -0.002],
        // new things that the person said
        &[-0.1, 0.121, -0.021],
        // new things in commands
        &[-0.342, 0.201, 0.141],
        // words
        &[0.112, -0.074, 0.021, -0.11, 0.053],
        // words the model lacks
        &[-0.078, 0.027, -0.083, 0.135],
        // rare words the model lacks
        &[-0.078, 0.191, -0.155, -0.037, 0.048, 0.031],
        // share of its words the model lacks
        &[-0.078, -0.084, -0.042, -0.005, 0.047, 0.162],
        // closeness to the end of the summary
        &[0.015, -0.026, 0.032, -0.065, -0.011, 0.054],
        // closeness to the latest request
        &[-0.041, -0.026, -0.044, 0.022, 0.104, -0.015],
        // from a failed call
        &[-0.119, 0.119],
        // lines before it in its text
        &[0.074, -0.009, 0.065, -0.046, -0.004, -0.081],
        // lines after it in its text
        &[0.077, 0.112, -0.017, -0.073, -0.085, -0.013],
        // lines of its text
        &[-0.01, 0.099, -0.058, 0.088, -0.06, -0.059],
        // position in its text
        &[0.074, 0.033, -0.171, -0.078, 0.036, 0.106],
        // names an error
        &[-0.011, 0.011],
        // counts results
        &[0.025, -0.025],
        // list item
        &[0.028, -0.028],
        // numbered item
        &[0.023, -0.023],
        // heading
        &[0.109, -0.109],
        // table row
        &[-0.07, 0.07],
        // emphasis
        &[-0.118, 0.118],
        // code span
        &[-0.112, 0.112],
        // colon
        &[-0.022, 0.022],
        // ends with a colon
        &[0.058, -0.058],
        // digits
        &[-0.186, 0.063, -0.042, 0.042, 0.122],
        // share of punctuation
        &[-0.107, -0.081, 0.167, 0.267, -0.101, -0.144],
        // runs of the same line
        &[-0.188, 0.085, 0.049, 0.017, 0.025, 0.012, 0.0],
        // web address
        &[-0.015, 0.015],
        // letters beyond ASCII
        &[-0.067, 0.067],
        // overtaken by a later run
        &[0.095, -0.095],
        // in the first prompt
        &[0.018, -0.018],
        // requests since
        &[0.027, 0.031, 0.123, 0.005, 0.143, -0.329],
        // in the latest request
        &[0.003, -0.003],
        // ends a turn
        &[-0.045, 0.045],
        // question
        &[-0.029, 0.029],
        // run with an outcome
        &[-0.152, 0.152],
        // failed run
        &[-0.007, 0.007],
        // lines of the same row
        &[0.38, -0.083, -0.14, -0.15, 0.026, -0.033],
        // its new things were used again later
        &[0.023, -0.042, 0.019],
        // says what several rows say
        &[-0.063, 0.028, 0.035],
    ],
};
