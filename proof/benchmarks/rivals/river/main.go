// River, with the number of workers of its own benchmark; its jobs do nothing.
package main

import (
	"context"
	"os"
	"strconv"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

type nothing struct {
	Number int `json:"number"`
}

func (nothing) Kind() string { return "nothing" }

type worker struct{ river.WorkerDefaults[nothing] }

func (*worker) Work(context.Context, *river.Job[nothing]) error { return nil }

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// river URL write N: migrates and inserts N jobs. river URL work: works until it is killed.
func main() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, os.Args[1])
	check(err)
	driver := riverpgxv5.New(pool)
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{})
	client, err := river.NewClient(driver, &river.Config{
		Queues:  map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 2_000}},
		Workers: workers,
	})
	if os.Args[2] == "work" {
		check(err)
		check(client.Start(ctx))
		select {}
	}
	migrator, err := rivermigrate.New(driver, nil)
	check(err)
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	check(err)
	count, err := strconv.Atoi(os.Args[3])
	check(err)
	for from := 0; from < count; from += 5_000 {
		var jobs []river.InsertManyParams
		for number := from; number < min(from+5_000, count); number++ {
			jobs = append(jobs, river.InsertManyParams{Args: nothing{number}})
		}
		_, err = client.InsertManyFast(ctx, jobs)
		check(err)
	}
}
