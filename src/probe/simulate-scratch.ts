import { drawFrom } from '../model/draw.ts';
import { provokeLimiter } from '../probe/provoke-limiter.ts';
import { identifyLimiter } from '../judge/limits/identify-limiter.ts';
type Lim = (t:number, inflight:number)=>boolean|number;
const L=60,W=60000;
const make: Record<string,(d:any)=>Lim> = {
 'fixed-from-first': ()=>{let b=-1e18,n=0; return t=>{ if(t>=b+W){b=t;n=0} if(n<L){n++;return true} return false}},
 'fixed-aligned': (d)=>{const ph=0;let b=-1,n=0; return t=>{const k=Math.floor((t-ph)/W); if(k!==b){b=k;n=0} if(n<L){n++;return true} return false}},
 'sliding-log': ()=>{let a:number[]=[]; return t=>{a=a.filter(x=>x>t-W); if(a.length<L){a.push(t);return true} return false}},
 'sliding-log-counting-refusals': ()=>{let a:number[]=[]; return t=>{a=a.filter(x=>x>t-W); const ok=a.length<L; a.push(t); return ok}},
 'token-bucket': ()=>{let l=L,p=0; return t=>{l=Math.min(L,l+(t-p)*L/W);p=t; if(l>=1){l--;return true} return false}},
 'burst-bucket': (d)=>{const B=5+Math.floor(d.uniform()*25);let l=B,p=0; return t=>{l=Math.min(B,l+(t-p)*L/W);p=t; if(l>=1){l--;return true} return false}},
 'sliding-counter': ()=>{let k0=-1,cur=0,prev=0; return t=>{const k=Math.floor(t/W); if(k!==k0){prev=k===k0+1?cur:0;cur=0;k0=k} if(prev*(1-(t-k*W)/W)+cur<L){cur++;return true} return false}},
 'stepped-bucket': (d)=>{const K=[2,4,6,10][Math.floor(d.uniform()*4)]!;let l=L,p=0; return t=>{const s=Math.floor(t*K/W)-Math.floor(p*K/W);p=t;l=Math.min(L,l+s*L/K); if(l>=1){l--;return true} return false}},
 'leaky-queue': ()=>{let free=0; return t=>{const th=Math.max(t,free); if((th-t)>W) return false; free=th+W/L; return th}},
 'in-flight': (d)=>{const c=3+Math.floor(d.uniform()*10); return (t,f)=>f<c},
};
const runs=Number(process.argv[2]??20); let ok=0,all=0; const miss:any={};
const t00=performance.now();
for(const name of Object.keys(make)) for(let seed=0;seed<runs;seed++){
  const d=drawFrom(seed,all); let now=1000+d.uniform()*60000; const off=d.uniform()*60000;
  const lim=make[name]!(d); const lo=30,hi=30+d.uniform()*220;
  let queue:{at:number,run:()=>void,n:number}[]=[]; let n=0; let inflight=0;
  const at=(t:number,run:()=>void)=>{queue.push({at:t,run,n:n++})};
  const asker={ now:()=>now as any, sleepUntil:(t:any)=>new Promise<void>(r=>at(t,r)), ask:()=>new Promise<any>(res=>{
     const sent=now; const up=(lo+d.uniform()*(hi-lo))/2, down=(lo+d.uniform()*(hi-lo))/2;
     at(now+up,()=>{ const r=lim(now+off,inflight); const through=typeof r==='number'?r-off:now; if(r!==false){inflight++; at(through+down+20,()=>{});  }
       const service=name==='in-flight'?500:5;
       at(through+(r===false?0:service)+0,()=>{ if(r!==false) inflight--; });
       at(through+(r===false?0:service)+down,()=>res({sent,answered:now,ended:now,admitted:r!==false})); });
  })};
  let done:any=null; const minuteBegin=(-off) as any;
  provokeLimiter(asker,{limit:L,window:W as any,minuteBegin}).then(l=>{done=l},e=>{done=e;throw e});
  while(done===null){ await new Promise(r=>setImmediate(r)); if(done!==null) break; if(queue.length===0) continue; queue.sort((a,b)=>a.at-b.at||a.n-b.n); const q=queue.shift()!; now=Math.max(now,q.at); q.run(); }
  const id=identifyLimiter(done,{limit:L,window:W as any,minute:{earliest:-off-500+d.uniform()*400,latest:-off+500}});
  all++; const got=id.best?.limiter??'none'; if(got===name) ok++; else { const k=name+' -> '+got; (miss[k]??=[]).push(`${seed} best ${id.ranking.slice(0,3).map(r=>r.limiter+':'+r.wrong+'/'+r.unlikely).join(' ')} own ${JSON.stringify(id.ranking.find(r=>r.limiter===name))} n=${done.length}`); }
}
console.log(ok,all,performance.now()-t00); for(const k in miss) console.log(k,miss[k].length,miss[k].slice(0,3));
