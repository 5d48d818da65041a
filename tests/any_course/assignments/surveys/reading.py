"""Reading the survey."""

import pandas as pd


def read_survey(path="survey.csv"):
    return pd.read_csv(path, parse_dates=["day"])
