package trace

import (
	"errors"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// Schedule is when something comes again and again, as crontab says it.
type Schedule struct {
	of   cron.Schedule
	zone *time.Location
}

// ParseSchedule reads five fields with names, ranges, steps and lists, or a word such as @daily,
// by the parser that Kubernetes uses. Times are those of clocks in the zone.
func ParseSchedule(text string, zone *time.Location) (*Schedule, error) {
	if strings.Contains(text, "TZ") {
		return nil, errors.New("a zone within a schedule is not read; it has a field of its own")
	}
	of, err := cron.ParseStandard(text)
	if err != nil {
		return nil, err
	}
	return &Schedule{of, zone}, nil
}

// Next is the first time after one, in milliseconds since 1970; Unknown where there is none within
// five years.
func (s *Schedule) Next(after int64) int64 {
	at := s.of.Next(time.UnixMilli(after).In(s.zone))
	if at.IsZero() {
		return Unknown
	}
	return at.UnixMilli()
}
